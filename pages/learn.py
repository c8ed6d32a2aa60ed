"""Learn: try the ideas on data whose truth is known."""

from __future__ import annotations

import streamlit as st

from diffoci.ui import guarded, next_step, open_page
from diffoci.ui.lessons import TOPICS
from diffoci.ui.runs.device import wait_for_libraries

open_page("Learn", "🎓")
st.title("Try the ideas on data whose truth is known", anchor=False)
with guarded():
    names = list(TOPICS)
    topic = st.pills("Topic", names, default=names[0], required=True, key="topic", bind="query-params")
    st.header(topic, anchor=False)
    wait_for_libraries()
    TOPICS[topic]()
st.divider()
next_step("pages/data.py", "Next: choose data for an audit", icon=":material/table:")

"""Home: what an audit is, start one, recent audits."""

import streamlit as st

from diffoci.ui import guarded, open_page
from diffoci.ui.cards import at_hand, data_cards
from diffoci.ui.device import device_words, waiting_words
from diffoci.ui.links import go
from diffoci.ui.recent import recent_audits
from diffoci.ui.sharing import open_from_elsewhere
from diffoci.ui.starting import wish_for_quick_audit

open_page("Home")
with guarded():
    st.title("What does your data give away?", anchor=False)
    st.markdown(
        "An audit measures how well a sensitive attribute, such as sex or race, can be guessed from data that should "
        "not tell, trains representations that give away less, and shows what that costs in predicting the label."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Run a 30-second audit of Student Performance", type="primary", icon=":material/play_arrow:", key="quick"
        ):
            wish_for_quick_audit()
            go("pages/train.py", audit="")
        st.caption("real data" if at_hand("student") else "on simulated students, marked as such", width="content")
    st.subheader("Start from data", anchor=False)
    data_cards()
    recent_audits()
    open_from_elsewhere()
    st.caption(f"Computing on {device_words()}. {waiting_words()}")

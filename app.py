"""Home: what an audit is, start one, recent audits."""

import streamlit as st

from diffoci.ui import guarded, open_page

open_page("Home")
with guarded():
    st.title("Can a sensitive attribute be guessed from your data?", anchor=False)

"""What went wrong outside of the page's script: a file that could not be made, one that was not taken."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from diffoci.server.notices import tell, told
from diffoci.ui.guard import sentence_for
from diffoci.ui.words import plain_markdown


def show_notices() -> None:
    """Show the sentences that wait for this session."""
    for sentence in told(_session()):
        st.error(plain_markdown(sentence), icon=":material/error:")


def made_or_told(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return a file's maker that tells this page where it fails: Streamlit says only that something did."""
    session = _session()

    def made() -> bytes:
        try:
            return make()
        except Exception as problem:
            tell(session, sentence_for(problem))
            raise

    return made


def _session() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id

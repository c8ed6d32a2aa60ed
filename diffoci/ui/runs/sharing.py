"""Take an audit to another machine as a zip file, and open one that came from there."""

from __future__ import annotations

import streamlit as st

from diffoci.runs.retention import AUDITS
from diffoci.runs.store import Run
from diffoci.ui.access import note, noted
from diffoci.ui.guard import say
from diffoci.ui.links import go, result_page
from diffoci.ui.notices import made_or_told
from diffoci.ui.runs.signing import signing_key
from diffoci.ui.signin import owner


def offer_zip(run: Run) -> None:
    """Offer a finished audit as one file; it is packed when the button is pressed."""

    def packed() -> bytes:
        from diffoci.runs.sharing import pack

        return pack(run, key=signing_key())

    st.download_button(
        "Share as zip",
        made_or_told(noted(packed, what="zip", id=run.id, event="shared")),
        file_name=f"audit-{run.id[:8]}.zip",
        mime="application/zip",
        key=f"zip-{run.id}",
        type="tertiary",
        icon=":material/folder_zip:",
        help="The whole audit, without the data: open it on another machine from the home page there.",
        on_click="ignore",
    )


def open_from_elsewhere() -> None:
    """Take in a shared audit and go to it; what is wrong with it is said in a sentence."""
    with st.expander("Open an audit from another machine", icon=":material/unarchive:"):
        file = st.file_uploader(
            "A zip file made with “Share as zip” or python -m diffoci share",
            type="zip",
            key="shared-audit",
            help="Every file in it is checked before it is kept; nothing in it is executed.",
        )
        st.caption(AUDITS.sentence)
        if file is None:
            return
        from diffoci.runs.sharing import open_shared

        try:
            run = open_shared(file, owner=owner())
        except (ValueError, OSError) as problem:
            note("refused", what="zip", why="not readable")
            say(problem)
            return
        note("opened", what="zip", id=run.id)
        go(result_page(run.study.name), audit=run.id)

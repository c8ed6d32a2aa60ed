"""The audit a page is about: found by the id in the address, with something to read in each of its states."""

from __future__ import annotations

import streamlit as st

from diffoci.runs.files import ends_whole
from diffoci.runs.sentences import sentence_of
from diffoci.runs.store import Run, Status
from diffoci.ui.links import PARAMETER, link
from diffoci.ui.own_audits import own_audit
from diffoci.ui.words import plain_markdown


def found_audit() -> Run | None:
    """Return the audit of the address without a word, or None."""
    try:
        return own_audit(st.query_params.get(PARAMETER, ""))
    except (ValueError, OSError):
        return None


def chosen_audit() -> Run | None:
    """Return the audit of the address; where there is none, say what to do and return None."""
    text = st.query_params.get(PARAMETER, "")
    if not text:
        with _notice("No audit is open.", "Start one, or open one of the recent audits on the home page."):
            link("app.py", "Recent audits", icon=":material/home:")
            link("pages/data.py", "Choose data for a new audit", icon=":material/table:")
        return None
    try:
        return own_audit(text)
    except (ValueError, OSError) as problem:
        what = sentence_of(problem) or "It was written by another version, or its files are damaged."
        with _notice("This audit cannot be opened.", what):
            link("app.py", "Recent audits", icon=":material/home:")
        return None


def finished_audit() -> Run | None:
    """Return the audit of the address if it has a result; else say where it stands and return None."""
    run = chosen_audit()
    if run is None or ends_whole(run.result_file):
        return run
    shown_state(run.status())
    return None


def shown_state(status: Status) -> None:
    """Say where an unfinished audit stands, with the way on."""
    words = {
        "running": ("This audit is still running.", "Its result appears here when it is done."),
        "waiting": ("This audit has not started yet.", "It starts when the one before it is done."),
        "failed": ("This audit failed.", status.message),
        "cancelled": ("This audit was cancelled.", "What was finished is kept; resume it on the Train page."),
        "interrupted": ("This audit was interrupted.", "What was finished is kept; resume it on the Train page."),
        "done": ("This audit has no result.", "Its result file is gone; run it again on the Train page."),
    }
    with _notice(*words[status.state]):
        link(
            "pages/train.py",
            "Watch it" if status.state in ("running", "waiting") else "To the Train page",
            icon=":material/play_circle:",
        )


def _notice(title: str, text: str) -> st.delta_generator.DeltaGenerator:
    box = st.container(border=True)
    box.subheader(plain_markdown(title), anchor=False)
    if text:
        box.markdown(plain_markdown(text))
    return box

"""The audit a page is about: found by the id in the address, with something to read in each of its states."""

from __future__ import annotations

import streamlit as st

from diffoci.runs.files import ends_whole
from diffoci.runs.sentences import sentence_of
from diffoci.runs.store import Run, Status
from diffoci.ui.links import PARAMETER, link
from diffoci.ui.own_audits import own_audit
from diffoci.ui.queue import goes_on, standing, waiting
from diffoci.ui.words import plain_markdown

EVERY = 2.0  # seconds between two looks at an audit whose result is awaited


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
    if goes_on(run):
        _await_result(run)
    else:
        shown_state(standing(run))
    return None


def no_method_finished() -> None:
    """Say that an audit ended without any number."""
    st.title("No method finished", anchor=False)
    st.markdown("Every method of this audit failed; the Train page says why.")
    link("pages/train.py", "To the Train page", icon=":material/play_circle:")


@st.fragment(run_every=EVERY)
def _await_result(run: Run) -> None:
    """Say where an audit stands until it stands elsewhere; then the whole page is drawn anew."""
    if not goes_on(run) or ends_whole(run.result_file):
        st.rerun()
    shown_state(standing(run), queued=run.id in waiting())


def shown_state(status: Status, *, queued: bool = False) -> None:
    """Say where an unfinished audit stands, with the way on."""
    words = {
        "running": ("This audit is still running.", "Its result appears here when it is done."),
        "waiting": ("This audit was never started.", "Start it on the Train page."),
        "failed": ("This audit failed.", status.message),
        "cancelled": ("This audit was cancelled.", "What was finished is kept; resume it on the Train page."),
        "interrupted": ("This audit was interrupted.", "What was finished is kept; resume it on the Train page."),
        "done": ("This audit has no result.", "Its result file is gone; run it again on the Train page."),
    }
    if queued:
        words["waiting"] = ("This audit waits for its turn.", "Its result appears here when it is done.")
    with _notice(*words[status.state]):
        link(
            "pages/train.py",
            "Watch it" if status.state == "running" or queued else "To the Train page",
            icon=":material/play_circle:",
        )


def _notice(title: str, text: str) -> st.delta_generator.DeltaGenerator:
    box = st.container(border=True)
    box.subheader(plain_markdown(title), anchor=False)
    if text:
        box.markdown(plain_markdown(text))
    return box

"""The audit a page is about: found by the id in the address, with something to read in each of its states."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from diffoci.audit.study import AUDIT
from diffoci.runs.files import ends_whole
from diffoci.runs.queue import goes_on, standing, waiting
from diffoci.runs.sentences import sentence_of
from diffoci.runs.store import Run, Status
from diffoci.ui.links import PARAMETER, link, next_step, result_page
from diffoci.ui.runs.own_runs import own_run
from diffoci.ui.words import plain_markdown

EVERY = 1.0  # seconds between two looks at an audit whose result is awaited


def found_run() -> Run | None:
    """Return the run of the address without a word, or None."""
    try:
        return own_run(st.query_params.get(PARAMETER, ""))
    except (ValueError, OSError):
        return None


def chosen_run() -> Run | None:
    """Return the run of the address; where there is none, say what to do and return None."""
    text = st.query_params.get(PARAMETER, "")
    if not text:
        with _notice("No audit is open.", "Start one, or open one of the recent audits on the home page."):
            next_step("pages/data.py", "Choose data for a new audit", icon=":material/table:")
            link("app.py", "Recent audits", icon=":material/home:")
        return None
    try:
        return own_run(text)
    except (ValueError, OSError) as problem:
        what = sentence_of(problem) or "It was written by another version, or its files are damaged."
        with _notice("This audit cannot be opened.", what):
            next_step("app.py", "Recent audits", icon=":material/home:")
        return None


def chosen_audit() -> Run | None:
    """Return the run of the address if it is an audit; else say so and return None."""
    run = chosen_run()
    if run is not None and run.study.name != AUDIT.name:
        with _notice("This is not an audit.", f"It is a run of another study: {run.study.title}."):
            next_step("pages/train.py", "Watch or resume it", icon=":material/play_circle:")
        return None
    return run


def finished_audit() -> Run | None:
    """Return the audit of the address if it has a result; else say where it stands and return None."""
    return _with_result(chosen_audit())


def _with_result(run: Run | None) -> Run | None:
    """The run if it has a result; else what is known of it is said."""
    if run is None or ends_whole(run.result_file):
        return run
    if goes_on(run):
        _await_result(run)
    else:
        shown_state(standing(run))
    return None


def finished_run(wanted: Callable[[Run], bool], otherwise: str) -> Run | None:
    """Return the run of the address if it is wanted here and has a result; else say where it stands, or what is."""
    run = chosen_run()
    if run is not None and not wanted(run):
        with _notice("This page shows another kind of audit.", otherwise):
            link("pages/scores.py", "Audit a model's scores", icon=":material/speed:", audit="")
            link(result_page(run.study.name), "Back to this run", icon=":material/arrow_back:")
        return None
    return _with_result(run)


def no_method_finished() -> None:
    """Say that an audit ended without any number."""
    st.title("No method finished", anchor=False)
    st.markdown("Every method of this audit failed; the Train page says why.")
    next_step("pages/train.py", "To the Train page", icon=":material/play_circle:")


@st.fragment(run_every=EVERY)
def _await_result(run: Run) -> None:
    """Say where an audit stands until it stands elsewhere; then the whole page is drawn anew."""
    if not goes_on(run) or ends_whole(run.result_file):
        st.rerun()
    shown_state(standing(run), queued=run.id in waiting())


def shown_state(status: Status, *, queued: bool = False, what: str = "audit") -> None:
    """Say where an unfinished audit, or another run, stands, with the way on."""
    words = {
        "running": (f"This {what} is still running.", "Its result appears here when it is done."),
        "waiting": (f"This {what} was never started.", "Start it on the Train page."),
        "failed": (f"This {what} failed.", status.message),
        "cancelled": (f"This {what} was cancelled.", "What was finished is kept; resume it on the Train page."),
        "interrupted": (f"This {what} was interrupted.", "What was finished is kept; resume it on the Train page."),
        "done": (f"This {what} has no result.", "Its result file is gone; run it again on the Train page."),
    }
    if queued:
        words["waiting"] = (f"This {what} is waiting for its turn.", "Its result appears here when it is done.")
    with _notice(*words[status.state]):
        next_step(
            "pages/train.py",
            "Watch it" if status.state == "running" or queued else "To the Train page",
            icon=":material/play_circle:",
        )


def _notice(title: str, text: str) -> st.delta_generator.DeltaGenerator:
    box = st.container(border=True)
    box.title(plain_markdown(title), anchor=False)
    if text:
        box.markdown(plain_markdown(text))
    return box

"""Recent runs, audits above all: name, what was asked, state, finding and the way back to each."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from diffoci.runs.names import named
from diffoci.runs.progress import read_progress
from diffoci.runs.queue import standing
from diffoci.runs.run_files import State
from diffoci.runs.store import Run, Status
from diffoci.ui.forms.naming import offer_naming, particulars, searched, title_of
from diffoci.ui.links import RESULT_PAGES, link
from diffoci.ui.runs.deleting import how_long_audits_are_kept, offer_deletion, show_outcome
from diffoci.ui.runs.findings import headline_of
from diffoci.ui.runs.own_runs import own_runs
from diffoci.ui.runs.sharing import offer_zip
from diffoci.ui.words import STATES, plain_markdown

_LOG = logging.getLogger(__name__)
_AT_ONCE = 8
_SEARCHED_FROM = 11  # audits on; fewer are seen at a glance
_ORDERS: dict[str, tuple[Callable[[Run], Any], bool]] = {
    "newest first": (lambda run: run.created, True),
    "oldest first": (lambda run: run.created, False),
    "by name": (lambda run: _told(title_of, run).casefold(), False),
    "by data": (lambda run: _told(lambda one: one.study.describe(one.spec), run).casefold(), False),
}
_COLOURS: dict[State, str] = {"running": "blue", "waiting": "gray", "done": "green", "failed": "red"}
_SIGNS: dict[State, str] = {
    "running": ":material/autorenew:",
    "waiting": ":material/hourglass_empty:",
    "done": ":material/check:",
    "failed": ":material/error:",
}


def recent_audits() -> None:
    """List the audits of this machine, the newest first, a few at a time."""
    runs = own_runs()
    st.subheader("Recent audits", anchor=False)
    show_outcome()
    if not runs:
        st.markdown("None yet. The blue button above runs the first one.")
        return
    how_long_audits_are_kept()
    if len(runs) >= _SEARCHED_FROM:
        runs = _sought(runs)
    shown = min(len(runs), int(st.session_state.get("audits-shown", _AT_ONCE)))
    for run in runs[:shown]:
        _kept_apart(run)
    if shown < len(runs) and st.button(f"Show older ({len(runs) - shown} more)", key="older"):
        st.session_state["audits-shown"] = shown + 2 * _AT_ONCE
        st.rerun()


def _sought(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """Let the analyst search and sort a list that is too long to be seen at a glance."""
    left, right = st.columns([3, 1])
    wanted = left.text_input(
        "Find", key="audits-wanted", placeholder="a name, a note, data, an attribute, an id", max_chars=200
    )
    key, descending = _ORDERS[right.selectbox("Order", list(_ORDERS), key="audits-order")]
    words = wanted.casefold().split()
    fitting = [run for run in runs if all(word in _told(searched, run).casefold() for word in words)]
    found = tuple(sorted(fitting, key=key, reverse=descending))
    if not found:
        st.markdown("No audit has all these words in its name, note, data, outcome or attributes.")
    return found


def _told(tell: Callable[[Run], str], run: Run) -> str:
    """What is said of a run; nothing of one whose files nobody foresaw, which must not take the list away."""
    try:
        return tell(run)
    except Exception:
        _LOG.exception("An audit cannot be described")
        return ""


def _kept_apart(run: Run) -> None:
    """Draw an entry; one whose files nobody foresaw must not take the home page away from the others."""
    place = st.empty()
    try:
        with place.container():
            _entry(run)
    except Exception:
        _LOG.exception("An audit cannot be shown")
        with place.container(border=True):
            st.markdown("**An audit that cannot be shown**")
            st.markdown(f"Its files are damaged; they are in the folder {run.id} of audits.")
            offer_deletion(run, damaged=True)


def _entry(run: Run) -> None:
    try:
        status = standing(run)
    except (ValueError, OSError):
        status = Status("failed", "Its files are damaged.")
    with st.container(border=True, gap="xsmall"):
        _name(run, status)
        if status.state == "running":
            st.progress(min(1.0, read_progress(run.folder).fraction))
        headline = headline_of(run) if status.state == "done" else None
        if headline:
            st.markdown(plain_markdown(headline))
        elif status.message and status.state == "failed":
            st.markdown(plain_markdown(status.message))
        with st.container(horizontal=True, vertical_alignment="center"):
            if status.state == "done":
                for path, label, icon in RESULT_PAGES.get(run.study.name, ()):
                    link(path, label, icon=icon, audit=run.id)
                offer_zip(run)
            else:
                link("pages/train.py", "Watch or resume", icon=":material/play_circle:", audit=run.id)
            offer_naming(run)
            offer_deletion(run)


def _name(run: Run, status: Status) -> None:
    """What it is called, where it stands, what was asked, when and by whom, and what somebody noted."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain_markdown(title_of(run))}**", width="content")
        st.badge(STATES[status.state], color=_COLOURS.get(status.state, "orange"), icon=_SIGNS.get(status.state))  # type: ignore[arg-type]
        if run.study.is_simulated(run.spec):
            st.badge("simulated", color="orange", icon=":material/science:")
    st.caption(plain_markdown(particulars(run)))
    if note := named(run).note:
        st.markdown("  \n".join(map(plain_markdown, note.splitlines())))

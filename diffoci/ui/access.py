"""What somebody does on this page, written down in the access log before it is done."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from diffoci.access_log import Event, Reason, Thing
from diffoci.runs.store import Run
from diffoci.server import access

_NOTED = "noted-in-access-log"


def note(event: Event, *, what: Thing, id: str = "", why: Reason = "") -> None:
    """Write down what whoever has this page open does."""
    access.note(event, st.user, what=what, id=id, why=why)


def note_opened(run: Run) -> None:
    """Write down that an audit is opened, once in a session, however often its pages are drawn."""
    _note_once("opened", run)


def note_not_theirs(run: Run) -> None:
    """Write down that somebody asked for an audit of somebody else, once in a session."""
    _note_once("refused", run, why="not the owner")


def noted(make: Callable[[], bytes], *, what: Thing, id: str, event: Event = "exported") -> Callable[[], bytes]:
    """Return a file's maker that first writes down who takes it away."""
    claims = dict(st.user)  # it is called when the page's script is over

    def made() -> bytes:
        access.note(event, claims, what=what, id=id)
        return make()

    return made


def _note_once(event: Event, run: Run, *, why: Reason = "") -> None:
    before: set[tuple[str, str]] = st.session_state.setdefault(_NOTED, set())
    if (event, run.id) not in before:
        note(event, what="audit", id=run.id, why=why)
        before.add((event, run.id))

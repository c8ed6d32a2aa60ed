"""Begin audits from a page."""

from __future__ import annotations

import uuid

import streamlit as st

from diffoci.audit.spec import AuditSpec
from diffoci.data.sources import is_at_hand
from diffoci.runs.store import Run
from diffoci.ui.draft import dataset_of
from diffoci.ui.queue import check_room, enqueue
from diffoci.ui.signin import owner

_WISHED = "quick-audit-wished"


def begin(spec: AuditSpec) -> Run:
    """Make a run of its own for a specification and start it, at once or after those before it."""
    with st.spinner("Starting the audit …", show_time=True):
        # Not at the top: it takes seconds to import, and most visits do not start anything.
        from diffoci.runs.memory import bytes_needed, jobs_that_fit

        check_room(who=visitor())
        jobs_that_fit(bytes_needed(dataset_of(spec), spec.settings), 1)
        run = Run.create(spec, owner=owner())
        enqueue(run, who=visitor())
        return run


def wish_for_quick_audit() -> None:
    """Let the Train page begin the audit of the home page, which takes a second.

    Not the home page itself: what a page's timer asks for while a script takes its time to leave for another page is
    answered after it, in the name of the page that was left, and the browser shows nothing any more.
    """
    st.session_state[_WISHED] = True


def begin_wished() -> Run | None:
    """Begin what the home page wished for; None where it did not."""
    return begin(quick_student()) if st.session_state.pop(_WISHED, False) else None


def go_on(run: Run) -> None:
    """Resume an audit that stopped."""
    enqueue(run, who=visitor())


def visitor() -> str:
    """Return what tells the people who wait for audits apart: who signed in, or else the browser tab."""
    return owner() or str(st.session_state.setdefault("visitor", uuid.uuid4().hex))


def quick_student() -> AuditSpec:
    """The half-minute audit of the home page: real students where their file is at hand, else simulated ones."""
    from diffoci.audit.engine import make_spec  # for the same reason as above

    return make_spec("student", sensitive=["sex"], preset="quick", twin=not is_at_hand("student"))

"""Begin audits from a page."""

from __future__ import annotations

import uuid

import streamlit as st

from diffoci.audit.make_spec import make_spec, with_repetitions
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.data.sources import is_at_hand, source_of
from diffoci.model_audit.spec import ModelAuditSpec
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.runs.memory import check_memory
from diffoci.runs.queue import check_room, enqueue, standing
from diffoci.runs.store import Run
from diffoci.runs.study import AnyStudy, Data, Spec
from diffoci.ui.access import note
from diffoci.ui.runs.draft import dataset_of
from diffoci.ui.runs.model_audits import people_of
from diffoci.ui.signin import owner

_WISHED = "example-wished"
_BEGUN = "audits-begun"


def begin(spec: Spec, study: AnyStudy | None = None) -> Run:
    """Make a run of its own for a specification and start it, at once or after those before it.

    `study` is that of the specification, where it is not an audit. The same run asked for again while it waits or goes
    on, as by a second click, is the one already begun.
    """
    who, signed_in = visitor(), owner()
    begun: list[Run] = st.session_state.setdefault(_BEGUN, [])
    with st.spinner("Starting …", show_time=True):
        if (same := next((run for run in begun if run.spec == spec and _is_to_end(run)), None)) is not None:
            return same
        check_room(who=who)
        study = study or (MODEL_AUDIT if isinstance(spec, ModelAuditSpec) else AUDIT)
        check_memory(study, spec, _data_of(spec, study))
        # A second click ends this script at its next call of Streamlit: there is none before the run is noted.
        run = Run.create(study, spec, owner=signed_in)
        try:
            note("started", what="audit", id=run.id)
        except OSError:
            run.discard()
            raise
        begun.append(run)
        enqueue(run, who=who)
        return run


def _data_of(spec: Spec, study: AnyStudy) -> Data:
    """What it computes with; of audits, as the page has them already."""
    if isinstance(spec, AuditSpec):
        return dataset_of(spec)
    if isinstance(spec, ModelAuditSpec):
        return people_of(spec)
    data: Data = study.load(spec)
    return data


def _is_to_end(run: Run) -> bool:
    return run.folder.is_dir() and standing(run).state in ("waiting", "running")


def wish_for_example(data: str) -> None:
    """Let the Train page begin an example of the home page, which takes a second.

    Not the home page itself: what a page's timer asks for while a script takes its time to leave for another page is
    answered after it, in the name of the page that was left, and the browser shows nothing any more.
    """
    st.session_state[_WISHED] = data


def begin_wished() -> Run | None:
    """Begin what the home page wished for; None where it did not."""
    data = st.session_state.pop(_WISHED, None)
    return None if data is None else begin(example_of(data))


def go_on(run: Run) -> None:
    """Resume an audit that stopped."""
    note("started", what="audit", id=run.id)
    enqueue(run, who=visitor())


def visitor() -> str:
    """Return what tells the people who wait for audits apart: who signed in, or else the browser tab."""
    return owner() or str(st.session_state.setdefault("visitor", uuid.uuid4().hex))


def example_of(data: str) -> AuditSpec:
    """The half-minute audit of a source: real people where their file is at hand, else simulated ones."""
    source = source_of(data)
    example = source.example
    options, seeds = ({}, None) if example is None else (dict(example.options), example.repetitions)
    twin = source.twin is not None and not is_at_hand(data)
    spec = make_spec(data, sensitive=source.default_sensitive, preset="quick", seeds=seeds, twin=twin, options=options)
    return spec if seeds else with_repetitions(spec, len(dataset_of(spec)))

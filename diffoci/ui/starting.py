"""Begin audits from a page."""

from __future__ import annotations

from diffoci.audit.spec import AuditSpec
from diffoci.data.sources import is_at_hand
from diffoci.runs.store import Run
from diffoci.ui.queue import enqueue


def begin(spec: AuditSpec) -> Run:
    """Make a run of its own for a specification and start it, at once or after those before it."""
    run = Run.create(spec)
    enqueue(run)
    return run


def quick_student() -> AuditSpec:
    """The half-minute audit of the home page: real students where their file is at hand, else simulated ones."""
    from diffoci.audit.engine import make_spec  # takes seconds to import, and most visits do not start anything

    return make_spec("student", sensitive=["sex"], preset="quick", twin=not is_at_hand("student"))

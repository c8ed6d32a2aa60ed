"""What a run found, in words kept beside its result."""

from __future__ import annotations

from diffoci.runs import headlines
from diffoci.runs.store import Run


def headline_of(run: Run) -> str | None:
    """Return what a finished run found; None where it has no readable result."""
    return headlines.headline_of(run, run.study.headline)

"""A small real audit for tests of figures and pages: simulated students, two attributes, a curve, a few epochs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from diffoci.audit.engine import make_spec
from diffoci.runs.runner import Means, run_audit
from diffoci.runs.store import Run
from tests.made_once import made_once

_SHORT = {"max_epochs": 3, "patience": 3, "hidden": (16,)}
METHODS = ("standard", "dF3", "dF3+penalty", "leace")
SEEDS = 2


def make_sample(folder: Path | None = None) -> Run:
    """Run it to its end, below `runs_root` or in `folder`."""
    settings = {
        "network": _SHORT,
        "penalised": _SHORT,
        "adversary": _SHORT,
        "probe": _SHORT,
        "vec": {"max_epochs": 4, "patience": 4},
        "curve": (0.0, 1.0),
        "null_draws": 200,
        "permutations": 19,
    }
    spec = make_spec(
        "student",
        sensitive=["sex", "address"],
        twin=True,
        preset="quick",
        methods=METHODS,
        seeds=SEEDS,
        settings=settings,
        device="cpu",
    )
    run = Run.create(spec, folder=folder)
    status = run_audit(run, Means(jobs=1))
    assert status.state == "done", status.message
    return run


@cache
def sample() -> Run:
    """The one audit that tests of figures, pages and reports read."""
    return made_once("sample", lambda folder: make_sample(folder / "run"))

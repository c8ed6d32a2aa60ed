"""Finished runs of every lab that take seconds, for tests of what is read, reported and verified."""

from __future__ import annotations

from pathlib import Path

import msgspec

from diffoci.audit.make_spec import make_spec
from diffoci.labs.fairness.spec import FairnessSpec
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.feature_selection.observations import OBSERVATIONS, ObservationSpec
from diffoci.labs.feature_selection.spec import LabSpec
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.shift.spec import Domain, ShiftSpec
from diffoci.labs.shift.study import DOMAIN_SHIFT
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from diffoci.runs.study import AnyStudy, Spec
from tests.labs.spurious.small_run import small_spec

SEEDS = (0, 1)
_SELECTORS = ("mean", "full", "KBest", "FPR", "PCA", "FOCI", "vec-dF1", "NN-dF1")


def _fairness() -> FairnessSpec:
    few = {"max_epochs": 2, "patience": 2}
    settings = {"network": few, "probe": few, "vec": {"max_epochs": 3}}
    plain = make_spec("student", sensitive=["sex"], preset="paper", twin=True, settings=settings, device="cpu")
    entries = msgspec.structs.asdict(plain) | {"methods": ("standard", "dF3"), "seeds": SEEDS}
    return FairnessSpec(**entries, columns=("GUS", "PCA", "vec-dF1"), weights=True, most_rows=200)


def _shift() -> ShiftSpec:
    inside = Domain(data="student", twin=True, where="age", below=17.0)
    outside = Domain(data="student", twin=True, where="age", least=17.0)
    return ShiftSpec(
        title="Students under 17 to 17 and over", inside=inside, outside=outside,
        methods=("F test", "random"), shares=(0.5,), seeds=SEEDS, epochs=2,
    )  # fmt: skip


def specs() -> dict[str, tuple[AnyStudy, Spec]]:
    """What is run, by a name of its own."""
    toy = LabSpec(problem="toy1", knobs={"n": 200}, methods=_SELECTORS, seeds=SEEDS, epochs=3)
    betas = LabSpec(problem="toy2", knobs={"n": 150}, methods=("vec-dF1",), seeds=SEEDS, betas=(1.0, 5.0), epochs=2)
    table = LabSpec(data="breast-cancer", methods=("full", "GUS", "LDA", "PCA", "vec-dF1"), seeds=SEEDS, epochs=2)
    return {
        "toy": (FEATURE_LAB, toy),
        "betas": (FEATURE_LAB, betas),
        "table": (FEATURE_LAB, table),
        "observations": (OBSERVATIONS, ObservationSpec(draws=6, n=50)),
        "fairness": (FAIRNESS_TABLES, _fairness()),
        "shift": (DOMAIN_SHIFT, _shift()),
        "spurious": (SPURIOUS_LAB, small_spec(methods=("ERM", "ERM+dF2"))),
    }


def finished_run(name: str, folder: Path) -> Run:
    """One of them, run to its end."""
    study, spec = specs()[name]
    run = Run.create(study, spec, folder=folder)
    status = execute(run, Means(jobs=1))
    assert status.state == "done", status.message
    return run

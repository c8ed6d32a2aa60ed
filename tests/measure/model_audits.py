"""How long a model audit takes: a million people, two models, three attributes, and one move of the threshold."""

from __future__ import annotations

import dataclasses
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from diffoci.data import lender
from diffoci.figures.model_audit import criteria, model_rates
from diffoci.model_audit.compute import audit_people
from diffoci.model_audit.rates import at_threshold
from diffoci.model_audit.spec import ModelAuditSpec, ModelSettings, Roles
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.model_audit.shown import against_frame, rate_frame
from diffoci.runs.runner import execute
from diffoci.runs.store import Run

ROLES = Roles(scores=("score_a", "score_b"), label="repaid", positive="yes", sensitive=("sex", "district", "age"))


def timed(what: str, make: Callable[[], object]) -> None:
    """Wall time, and seconds of a core: those do not grow when others use the machine."""
    begun, worked = time.perf_counter(), _worked()
    make()
    passed, used = time.perf_counter() - begun, _worked() - worked
    print(f"{what}: {passed:.2f} s, {used:.2f} s of a core, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _worked() -> float:
    """Seconds of a core that this process and its ended children used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def spec_of(folder: Path, rows: int) -> ModelAuditSpec:
    """Write a table of so many people, and say what its columns are."""
    path = folder / f"people-{rows}.parquet"
    drawn = lender.applicants(rows=rows)
    drawn["district"] = np.random.default_rng(0).choice(["north", "east", "south", "west"], rows)
    drawn.to_parquet(path)
    return ModelAuditSpec(data=f"csv:{path}", roles=ROLES)


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spec = spec_of(Path(folder), rows)
        run = Run.create(MODEL_AUDIT, spec, folder=Path(folder) / "run")

        def to_page() -> None:
            status = execute(run)
            assert status.state == "done", status.message
            criteria(run.result())

        timed(f"{rows:,} rows, 2 models, 3 attributes: from the roles to the picture", to_page)
        people = MODEL_AUDIT.load(spec)
        timed(f"{rows:,} rows: all parts, one after the other", lambda: audit_people(spec, people))
        groups, result = people.grouped(("sex",)), run.result()

        def move() -> None:
            at_threshold(groups, people, people.models[0], 0.6, ModelSettings())

        def move_and_draw() -> None:
            comparison = at_threshold(groups, people, people.models[0], 0.6, ModelSettings())
            one = replace(result.models[0], comparisons=(comparison,))
            model_rates(replace(result, models=(one,)), ("sex",))
            rate_frame(one, comparison)
            against_frame(comparison)

        timed(f"{rows:,} rows: one move of the threshold", move)
        timed(f"{rows:,} rows: one move of the threshold, with its picture and tables", move_and_draw)
        weighted = dataclasses.replace(people, weights=np.random.default_rng(0).uniform(1, 90, rows))

        def move_weighted() -> None:
            at_threshold(groups, weighted, people.models[0], 0.6, ModelSettings())

        timed(f"{rows:,} rows, every one with a weight of its own: one move of the threshold", move_weighted)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)

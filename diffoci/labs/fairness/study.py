"""The fairness tables, a study: what the run machinery asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from diffoci.audit.dropping import condition_of
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.study import OfDataset
from diffoci.data.dataset import Dataset
from diffoci.labs.fairness.beside_paper import beside_paper
from diffoci.labs.fairness.result import ColumnOutcome, FairnessResult, NetworkOutcome, Parts
from diffoci.labs.fairness.spec import FairnessSpec
from diffoci.labs.reproducible import compared
from diffoci.plain_text import counted
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, Watch


class FairnessTables(OfDataset[FairnessSpec, FairnessResult]):
    """The paper's fairness tables for one data set: networks on standard data and dF3, and columns of log-losses."""

    name = "fairness-tables"
    title = "Fairness tables of the paper"
    spec = FairnessSpec
    result = FairnessResult
    preload = ("diffoci.labs.fairness.cells", "sklearn.feature_selection", "sklearn.linear_model")

    def load(self, spec: FairnessSpec) -> Dataset:
        from diffoci.audit.measuring.sampled import some_rows

        dataset = super().load(spec)
        if spec.most_rows is None or len(dataset) <= spec.most_rows:
            return dataset
        return dataset.of_rows(some_rows(dataset, spec.most_rows, 0))

    def plan(self, spec: FairnessSpec, data: Dataset) -> tuple[Cell, ...]:
        return tuple(cell for seed in spec.seeds for cell in self._of_seed(spec, data, seed))

    def _of_seed(self, spec: FairnessSpec, data: Dataset, seed: int) -> Iterator[Cell]:
        for stage, names, cost in (("networks", spec.methods, 3.0), ("columns", spec.columns, 1.0)):
            for name in names:
                yield Cell(f"{stage}-{name}.{seed}", stage, name, seed, cost=cost)
        for given in self._conditions(spec, data):
            named = "+".join(given) or "nothing"
            yield Cell(f"weights-{named}.{seed}", "weights", f"given {named}", seed, {"given": list(given)})

    def _conditions(self, spec: FairnessSpec, data: Dataset) -> list[tuple[str, ...]]:
        from diffoci.audit.plan import conditions

        return conditions([str(name) for name in data.sensitive]) if spec.weights else []

    def run_cell(self, spec: FairnessSpec, data: Dataset, cell: Cell, watch: Watch) -> CellOutput:
        from diffoci.labs.fairness.cells import run_cell

        return run_cell(spec, data, cell, watch)

    def assemble(
        self, spec: FairnessSpec, data: Dataset, outputs: Outputs, failures: Failures, made: Made
    ) -> FairnessResult:
        def summaries(stage: str, name: str) -> list[dict[str, Any]]:
            found = (outputs.get(f"{stage}-{name}.{seed}") for seed in spec.seeds)
            return [output.summary for output in found if output is not None]

        networks = {name: summaries("networks", name) for name in spec.methods}
        columns = {name: summaries("columns", name) for name in spec.columns}
        return FairnessResult(
            failures=failures,
            spec=spec,
            title=data.title,
            real=data.real,
            rows=len(data),
            features=tuple(column.name for column in data.columns),
            networks=tuple(
                NetworkOutcome(
                    method=name,
                    attribute=str(data.sensitive.columns[0]),
                    y=_parts([one["y"] for one in found]),
                    sensitive=_parts([one["sensitive"] for one in found]),
                )
                for name, found in networks.items()
                if found
            ),
            columns=tuple(_column(name, found) for name, found in columns.items() if found),
            weights=tuple(
                condition_of(
                    given,
                    found[0]["names"],
                    np.array([one["theta"] for one in found], dtype=np.float64),
                    found[0]["cutoff"],
                )
                for given in self._conditions(spec, data)
                if (found := summaries("weights", "+".join(given) or "nothing"))
            ),
            versions=dict(made.versions),
            seconds=made.seconds,
        )

    def details(self, spec: FairnessSpec) -> str:
        parts = [(len(spec.methods), "network"), (len(spec.columns), "selection")]
        said = ", ".join(counted(*part) for part in parts if part[0])
        said = "features dropped" if spec.weights else said
        return f"{said}, {counted(len(spec.seeds), 'repetition')}"

    def headline(self, result: FairnessResult) -> str:
        return compared(beside_paper(result))


def _parts(found: Sequence[Mapping[str, float]]) -> Parts:
    mean = partial(mean_over_seeds, most=100.0)
    return Parts(**{name: mean([one[name] for one in found]) for name in ("train", "validation", "test", "majority")})


def _column(name: str, found: Sequence[Mapping[str, float | None]]) -> ColumnOutcome:
    measures = ("hard_log_loss", "log_loss", "accuracy", "kept")
    return ColumnOutcome(
        name=name, **{measure: mean_over_seeds([one[measure] for one in found], most=np.inf) for measure in measures}
    )


FAIRNESS_TABLES = FairnessTables()

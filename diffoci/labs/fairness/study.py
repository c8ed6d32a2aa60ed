"""The fairness tables, a study: what the run machinery asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from diffoci.audit.dropping import condition_of
from diffoci.audit.study import OfDataset
from diffoci.data.dataset import Dataset
from diffoci.labs.fairness.beside_paper import beside_paper
from diffoci.labs.fairness.means import column_of, parts_of
from diffoci.labs.fairness.result import FairnessResult, NetworkOutcome
from diffoci.labs.fairness.spec import FairnessSpec, conditions_of
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
        return tuple(cell for seed in spec.seeds for cell in self._of_seed(spec, seed))

    def _of_seed(self, spec: FairnessSpec, seed: int) -> Iterator[Cell]:
        for stage, names, cost in (("networks", spec.methods, 3.0), ("columns", spec.columns, 1.0)):
            for name in names:
                yield Cell(f"{stage}-{name}.{seed}", stage, name, seed, cost=cost)
        for given in conditions_of(spec):
            named = "+".join(given) or "nothing"
            yield Cell(f"weights-{named}.{seed}", "weights", f"given {named}", seed, {"given": list(given)})

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
                    y=parts_of([one["y"] for one in found]),
                    sensitive=parts_of([one["sensitive"] for one in found]),
                )
                for name, found in networks.items()
                if found
            ),
            columns=tuple(column_of(name, found) for name, found in columns.items() if found),
            weights=tuple(
                condition_of(
                    given,
                    found[0]["names"],
                    np.array([one["theta"] for one in found], dtype=np.float64),
                    found[0]["cutoff"],
                )
                for given in conditions_of(spec)
                if (found := summaries("weights", "+".join(given) or "nothing"))
            ),
            sha256=data.sha256,
            versions=dict(made.versions),
            seconds=made.seconds,
        )

    def details(self, spec: FairnessSpec) -> str:
        parts = [(len(spec.methods), "network"), (len(spec.columns), "selection")]
        said = ", ".join(counted(*part) for part in parts if part[0])
        said = "features dropped" if spec.weights else said
        return f"{said}, {counted(len(spec.seeds), 'repetition')}"

    def read_result(self, content: Mapping[str, Any], name: str) -> FairnessResult:
        from diffoci.labs.fairness.result_file import read_result

        return read_result(content, name)

    def headline(self, result: FairnessResult) -> str:
        return compared(beside_paper(result))


FAIRNESS_TABLES = FairnessTables()

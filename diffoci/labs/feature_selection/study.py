"""The feature lab, a study: what the run machinery asks of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from diffoci.data import sources
from diffoci.labs.feature_selection.problems import PROBLEMS
from diffoci.labs.feature_selection.result import LabResult
from diffoci.labs.feature_selection.rows import LabRows, rows_of
from diffoci.labs.feature_selection.selectors import selector_named
from diffoci.labs.feature_selection.spec import TABLE, LabSpec
from diffoci.labs.feature_selection.training import with_epochs
from diffoci.plain_text import counted
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, Study, Watch


class FeatureLab(Study[LabSpec, LabRows, LabResult]):
    """Which features determine y, by several selectors, over repetitions."""

    name = "feature-lab"
    title = "Feature lab"
    spec = LabSpec
    result = LabResult
    preload = ("sklearn.feature_selection", "sklearn.svm", "sklearn.linear_model", "diffoci.learning.estimator")

    def load(self, spec: LabSpec) -> LabRows:
        rows = rows_of(spec)
        for name in spec.methods:
            selector = selector_named(name)
            if rows.kind not in selector.kinds:
                raise ValueError(f"{selector.title} needs classes to predict, and {rows.title} has a number.")
            if missing := selector.missing():
                raise ValueError(missing)
        return rows

    def plan(self, spec: LabSpec, data: LabRows) -> tuple[Cell, ...]:
        """A cell for every selector, repetition and, of difFOCI, beta."""
        cells = []
        for seed in spec.seeds:
            for name in spec.methods:
                selector = selector_named(name)
                for k, beta in enumerate(spec.betas if selector.trained else (None,)):
                    said = f", beta {beta:g}" if len(spec.betas) > 1 and beta is not None else ""
                    cells.append(
                        Cell(
                            f"{name}.{k}.{seed}",
                            "selectors",
                            name,
                            seed,
                            {"beta": beta},
                            cost=selector.cost,
                            title=f"{selector.title}{said}",
                        )
                    )
        return tuple(cells)

    def run_cell(self, spec: LabSpec, data: LabRows, cell: Cell, watch: Watch) -> CellOutput:
        from diffoci.labs.feature_selection.compute import repetition

        watch.tell(fraction=0.0)
        trainings = with_epochs(data.trainings(cell.method), spec.epochs)
        start = time.perf_counter()
        found, arrays = repetition(data.task(cell.seed), cell, trainings, watch, start=start)
        return CellOutput(msgspec.to_builtins(found), arrays)

    def assemble(self, spec: LabSpec, data: LabRows, outputs: Outputs, failures: Failures, made: Made) -> LabResult:
        from diffoci.labs.feature_selection.assemble import put_together

        return put_together(spec, data, self.plan(spec, data), outputs, failures, made)

    def column_names(self, spec: LabSpec, data: LabRows) -> Sequence[str]:
        return data.task(spec.seeds[0]).names

    def describe(self, spec: LabSpec) -> str:
        """The problem, or the table and the column that is predicted."""
        if spec.problem in PROBLEMS:
            return PROBLEMS[spec.problem].title
        outcome = spec.outcome or sources.outcome_of(spec.data, spec.options, twin=False)
        return ": ".join(filter(None, (sources.describe(spec.data, spec.options, twin=False), outcome)))

    def details(self, spec: LabSpec) -> str:
        return f"{counted(len(spec.methods), 'selector')}, {counted(len(spec.seeds), 'repetition')}"

    def is_simulated(self, spec: LabSpec) -> bool:
        return spec.problem != TABLE or sources.is_simulated(spec.data, twin=False)

    def bytes_needed(self, spec: LabSpec, data: LabRows) -> float:
        task = data.task(spec.seeds[0])
        return 6e8 + 40.0 * task.x.size

    def files_read(self, spec: LabSpec) -> Sequence[Path]:
        return () if spec.problem != TABLE else sources.files_read(spec.data, spec.options, twin=False)

    def portable(self, spec: LabSpec) -> LabSpec:
        """A file is named without its path."""
        return spec if spec.problem != TABLE else msgspec.structs.replace(spec, data=sources.portable(spec.data))

    def check_portable(self, spec: LabSpec) -> None:
        if spec.problem == TABLE:
            sources.check_portable(spec.data, spec.options, twin=False)

    def check_local(self, spec: LabSpec) -> None:
        if spec.problem == TABLE:
            sources.check_local(spec.data)

    def read_result(self, content: Mapping[str, Any], name: str) -> LabResult:
        from diffoci.labs.feature_selection.result_file import read_result

        return read_result(content, name)

    def headline(self, result: LabResult) -> str:
        from diffoci.labs.feature_selection.words import headline

        return headline(result)


FEATURE_LAB = FeatureLab()

"""Put repetitions together: what follows over them, and weights by epoch."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from diffoci.labs.feature_selection.compute import THETA
from diffoci.labs.feature_selection.downstream import measure_of
from diffoci.labs.feature_selection.means import outcome
from diffoci.labs.feature_selection.result import LabResult, Repetition, ThetaPath
from diffoci.labs.feature_selection.rows import LabRows
from diffoci.labs.feature_selection.spec import LabSpec
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs

MOST_PATH_POINTS, MOST_PATH_FEATURES = 120, 12


def put_together(
    spec: LabSpec, data: LabRows, cells: Sequence[Cell], outputs: Outputs, failures: Failures, made: Made
) -> LabResult:
    """The result of a run."""
    task = data.task(spec.seeds[0])
    groups: dict[tuple[str, float | None], list[Cell]] = {}
    for cell in cells:
        if cell.id in outputs:
            groups.setdefault((cell.method, cell.settings["beta"]), []).append(cell)
    several = len(spec.betas) > 1
    return LabResult(
        failures=failures,
        spec=spec,
        title=data.title,
        about=data.about,
        kind=data.kind,
        measure=measure_of(data.kind),
        real=data.real,
        rows=len(task.y),
        features=task.names,
        truth=task.truth,
        methods=tuple(
            outcome(
                [msgspec.convert(outputs[cell.id].summary, Repetition) for cell in group],
                name=name,
                beta=beta if several else None,
                kind=data.kind,
                features=len(task.names),
                truth=task.truth,
                fresh=data.fresh,
            )
            for (name, beta), group in groups.items()
        ),
        paths=tuple(
            _path(group[0], outputs[group[0].id]) for group in groups.values() if THETA in outputs[group[0].id].arrays
        ),
        notes=data.notes,
        sha256=data.sha256,
        versions=dict(made.versions),
        seconds=made.seconds,
    )


def _path(cell: Cell, output: CellOutput) -> ThetaPath:
    """As many epochs as a picture shows, of the features whose last weights are largest."""
    theta = np.asarray(output.arrays[THETA], dtype=np.float64)
    epochs = np.unique(np.linspace(0, len(theta) - 1, min(len(theta), MOST_PATH_POINTS)).round().astype(int))
    features = np.sort(np.argsort(-np.abs(theta[-1]), kind="stable")[:MOST_PATH_FEATURES])
    return ThetaPath(
        method=cell.method,
        seed=cell.seed,
        epochs=tuple(int(epoch) + 1 for epoch in epochs),
        features=tuple(int(feature) for feature in features),
        theta=tuple(tuple(float(value) for value in theta[epoch, features]) for epoch in epochs),
    )

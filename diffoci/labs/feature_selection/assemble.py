"""Put repetitions together: means with intervals, how often each feature was selected, weights by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec
import numpy as np

from diffoci.audit.means import mean_over_seeds
from diffoci.labs.feature_selection.agreement import stability
from diffoci.labs.feature_selection.compute import THETA
from diffoci.labs.feature_selection.downstream import MEASURES, measure_of
from diffoci.labs.feature_selection.problem import Task
from diffoci.labs.feature_selection.result import LabResult, MethodOutcome, Repetition, ThetaPath
from diffoci.labs.feature_selection.rows import LabRows
from diffoci.labs.feature_selection.selectors import selector_named
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
            _outcome(name, beta if several else None, task, data, [outputs[cell.id] for cell in group])
            for (name, beta), group in groups.items()
        ),
        paths=tuple(
            _path(group[0], outputs[group[0].id]) for group in groups.values() if THETA in outputs[group[0].id].arrays
        ),
        notes=data.notes,
        versions=dict(made.versions),
        seconds=made.seconds,
    )


def _outcome(name: str, beta: float | None, task: Task, data: LabRows, outputs: Sequence[CellOutput]) -> MethodOutcome:
    repetitions = tuple(msgspec.convert(output.summary, Repetition) for output in outputs)
    # Draws of their own share no rows; splits of one table do, and their intervals allow for it.
    mean = partial(mean_over_seeds, test_share=0.0) if data.fresh else mean_over_seeds
    sets = [one.selected for one in repetitions if one.selected is not None]
    features = len(task.names)
    selector = selector_named(name)
    return MethodOutcome(
        name=name,
        title=selector.title,
        description=selector.description,
        family=selector.family,
        tests=selector.tests,
        beta=beta,
        scores={
            measure: mean([one.scores[measure] for one in repetitions], most=1.0 if measure == "accuracy" else np.inf)
            for measure in MEASURES[data.kind]
        },
        seconds=mean([one.seconds for one in repetitions]),
        size=mean([None if one.selected is None else float(len(one.selected)) for one in repetitions]),
        T=mean([one.T for one in repetitions]),
        stability=stability(sets, features) if sets else None,
        frequency=tuple(float(share) for share in _frequency(sets, features)) if sets else None,
        exact=float(np.mean([one == task.truth for one in sets])) if sets and task.truth is not None else None,
        repetitions=repetitions,
    )


def _frequency(sets: Sequence[Sequence[int]], features: int) -> np.ndarray:
    counts = np.zeros(features)
    for chosen in sets:
        counts[list(chosen)] += 1
    return counts / len(sets)


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

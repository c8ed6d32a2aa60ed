"""One repetition of one selector: select on training rows, choose on validation rows, report on test rows."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffoci.labs.feature_selection.downstream import test_scores
from diffoci.labs.feature_selection.problem import Task
from diffoci.labs.feature_selection.result import Repetition
from diffoci.labs.feature_selection.selectors import Asked, selector_named
from diffoci.labs.feature_selection.spec import BETA
from diffoci.labs.feature_selection.training import Training
from diffoci.runs.study import Cell, Watch

THETA = "theta"


def repetition(
    task: Task, cell: Cell, trainings: tuple[Training, ...], watch: Watch, *, start: float
) -> tuple[Repetition, dict[str, NDArray[Any]]]:
    """What one selector found, and as arrays the weights by epoch; `seconds` are those since `start`."""
    beta = cell.settings["beta"] or BETA
    found = selector_named(cell.method).build(Asked(task, cell.seed, watch, trainings, beta))
    seconds = time.perf_counter() - start
    arrays = {} if found.theta is None else {THETA: np.asarray(found.theta, dtype=np.float32)}
    return (
        Repetition(
            seed=cell.seed,
            scores=test_scores(task, found.z),
            selected=found.selected,
            columns=found.z.shape[1],
            seconds=seconds,
            theta=None if found.theta is None else tuple(float(value) for value in found.theta[-1]),
            T=found.T,
            chosen=found.chosen,
        ),
        arrays,
    )

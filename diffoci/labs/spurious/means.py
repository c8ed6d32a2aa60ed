"""What follows from repetitions: averages both ways people mean it, the worst group, means with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from diffoci.audit.means import mean_over_seeds
from diffoci.labs.spurious.result import CellSize, Outcome, Repetition, Stage


def by_training_groups(cells: Sequence[float | None], sizes: Sequence[CellSize]) -> float | None:
    """The mean over groups, each counted as often as training rows have it; None where test rows lack one."""
    weights = np.array([size.train for size in sizes], dtype=np.float64)
    if any(value is None and weight for value, weight in zip(cells, weights, strict=True)):
        return None
    known = np.array([0.0 if value is None else value for value in cells])
    return float(known @ weights / weights.sum())


def worst(cells: Sequence[float | None]) -> float | None:
    """The smallest share of any group that has test rows."""
    return min((value for value in cells if value is not None), default=None)


def overlap_of(sizes: Sequence[CellSize], *, fresh: bool) -> float:
    """What intervals are widened by (Nadeau and Bengio): nothing where repetitions share no rows, else test rows by
    training rows.
    """
    learnt = sum(size.train for size in sizes)
    return 0.0 if fresh or not learnt else sum(size.test for size in sizes) / learnt


def outcome(
    repetitions: Sequence[Repetition],
    sizes: Sequence[CellSize],
    *,
    name: str,
    title: str,
    description: str,
    stage: Stage,
    penalty: float | None,
    beta: float | None,
    overlap: float,
) -> Outcome:
    """One method over its repetitions; nothing else is needed, so `verify` works it out again."""
    plain = partial(mean_over_seeds, test_share=overlap)
    share = partial(plain, most=1.0)
    return Outcome(
        name=name,
        title=title,
        description=description,
        stage=stage,
        penalty=penalty,
        beta=beta,
        average=share([one.average for one in repetitions]),
        average_by_training_groups=share([by_training_groups(one.cells, sizes) for one in repetitions]),
        worst_group=share([worst(one.cells) for one in repetitions]),
        worst_group_refitted=share([worst(one.refitted) for one in repetitions]),
        held=share([one.held for one in repetitions]),
        cells=tuple(share([one.cells[k] for one in repetitions]) for k in range(len(sizes))),
        saliency_on_object=share([one.saliency for one in repetitions]),
        group_guessed_from_features=share([one.guessed for one in repetitions]),
        T=plain([one.T for one in repetitions]),
        T_given_label=plain([one.T_given_label for one in repetitions]),
        repetitions=tuple(repetitions),
    )

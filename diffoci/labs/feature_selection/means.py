"""What follows from repetitions: means with intervals, how often each feature was selected, and how stably."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from diffoci.audit.means import mean_over_seeds
from diffoci.labs.feature_selection.agreement import stability
from diffoci.labs.feature_selection.downstream import MEASURES
from diffoci.labs.feature_selection.problem import Kind
from diffoci.labs.feature_selection.result import MethodOutcome, Repetition
from diffoci.labs.feature_selection.selectors import selector_named


def outcome(
    repetitions: Sequence[Repetition],
    *,
    name: str,
    beta: float | None,
    kind: Kind,
    features: int,
    truth: Sequence[int] | None,
    fresh: bool,
) -> MethodOutcome:
    """One selector over its repetitions; nothing else is needed, so `verify` works it out again."""
    # Draws of their own share no rows; splits of one table do, and their intervals allow for it.
    mean = partial(mean_over_seeds, test_share=0.0) if fresh else mean_over_seeds
    sets = [one.selected for one in repetitions if one.selected is not None]
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
            for measure in MEASURES[kind]
        },
        seconds=mean([one.seconds for one in repetitions]),
        size=mean([None if one.selected is None else float(len(one.selected)) for one in repetitions]),
        T=mean([one.T for one in repetitions]),
        stability=stability(sets, features) if sets else None,
        frequency=tuple(float(share) for share in _frequency(sets, features)) if sets else None,
        exact=float(np.mean([one == tuple(truth) for one in sets])) if sets and truth is not None else None,
        repetitions=tuple(repetitions),
    )


def _frequency(sets: Sequence[Sequence[int]], features: int) -> np.ndarray:
    counts = np.zeros(features)
    for chosen in sets:
        counts[list(chosen)] += 1
    return counts / len(sets)

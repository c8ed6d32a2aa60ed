"""Reliability: whether, among people given a score of 0.7, about 70 % are positive, group by group."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta

from diffoci.audit.decisions.grouping import Grouping
from diffoci.audit.decisions.intervals import Rate, wilson_limits
from diffoci.audit.kinds import Count, Share, Stored
from diffoci.inputs import Floats, Ints


class ReliabilityBin(Stored, frozen=True):
    """People whose scores lie between two limits: their mean score, how many were positive, how many they are."""

    low: Share
    high: Share
    mean_score: Share
    observed: Rate
    n: Count


class Reliability(Stored, frozen=True):
    """Calibration of one group: its bins that hold anybody, and their mean distance weighted by people."""

    expected_calibration_error: Share
    bins: Annotated[tuple[ReliabilityBin, ...], Meta(max_length=1000)]


def reliability(
    y_true: Ints, score: Floats, groups: Grouping, *, bins: int = 10, confidence: float = 0.95
) -> list[Reliability]:
    """Return every group's calibration in bins of equal width.

    >>> groups = Grouping(("sex",), (("f",), ("m",)), np.array([0, 0, 1, 1]))
    >>> first, second = reliability(np.array([0, 1, 1, 1]), np.array([0.1, 0.9, 0.9, 0.9]), groups)
    >>> round(first.expected_calibration_error, 3), [entry.mean_score for entry in second.bins]
    (0.1, [0.9])
    """
    position = np.minimum((score * bins).astype(np.int64), bins - 1)
    shape = (len(groups), bins)
    cell = np.ravel_multi_index((groups.codes, position), shape)
    people, positives, total = (
        np.bincount(cell, weights=weights, minlength=len(groups) * bins).reshape(shape)
        for weights in (None, y_true, score)
    )
    low, high = wilson_limits(positives, people, confidence=confidence)
    edges = np.linspace(0, 1, bins + 1)
    found = []
    for group in range(len(groups)):
        rows = []
        for k in np.flatnonzero(people[group]):
            n, successes, here = int(people[group, k]), int(positives[group, k]), (group, k)
            observed = Rate(successes / n, float(low[here]), float(high[here]), k=successes, n=n)
            rows.append(ReliabilityBin(float(edges[k]), float(edges[k + 1]), float(total[here] / n), observed, n))
        # Per bin n · |mean score − observed rate| is |sum of scores − positives|.
        error = np.abs(total[group] - positives[group]).sum() / people[group].sum()
        found.append(Reliability(float(error), tuple(rows)))
    return found

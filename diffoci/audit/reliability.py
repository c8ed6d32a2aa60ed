"""Reliability: whether, among people given a score of 0.7, about 70 % are positive, group by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from diffoci.audit.grouping import Grouping
from diffoci.audit.intervals import Rate, wilson_limits
from diffoci.inputs import Floats, Ints


@dataclass(frozen=True)
class ReliabilityBin:
    """People whose scores lie between two limits: their mean score and how many were positive."""

    low: float
    high: float
    mean_score: float
    observed: Rate

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        limits = {"low": self.low, "high": self.high, "mean_score": self.mean_score}
        return {**limits, "observed": self.observed.to_dict(), "n": self.observed.n}


@dataclass(frozen=True)
class Reliability:
    """Calibration of one group: its bins that hold anybody, and their mean distance weighted by people."""

    expected_calibration_error: float
    bins: tuple[ReliabilityBin, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        error = self.expected_calibration_error
        return {"expected_calibration_error": error, "bins": [entry.to_dict() for entry in self.bins]}


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
            rows.append(ReliabilityBin(float(edges[k]), float(edges[k + 1]), float(total[here] / n), observed))
        # Per bin n · |mean score − observed rate| is |sum of scores − positives|.
        error = np.abs(total[group] - positives[group]).sum() / people[group].sum()
        found.append(Reliability(float(error), tuple(rows)))
    return found

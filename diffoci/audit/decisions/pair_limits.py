"""Limits for the worst pair of groups: the largest difference, the smallest ratio.

Intervals of all pairs that hold together bound the worst true pair. Plain bootstrap percentiles of the worst pair do
not: the largest difference is above zero in every replicate, whether or not the groups differ. So the bootstrap gives
the number of standard errors that all pairs keep at once, and Newcombe's way of joining two Wilson intervals turns it
into limits for each pair, which hold for small groups and for rates near 0 and 1.
"""

from __future__ import annotations

import numpy as np

from diffoci.audit.decisions.intervals import score_limits
from diffoci.inputs import Floats, Ints


def difference_limits(k: Ints, n: Ints, *, critical: float) -> tuple[float, float]:
    """Return limits for the largest difference between two groups' rates `k / n`.

    >>> low, high = difference_limits(np.array([56, 48]), np.array([70, 80]), critical=1.96)
    >>> round(low, 4), round(high, 4)  # Newcombe (1998), method 10, his case (a)
    (0.0524, 0.3339)
    """
    share, (low, high) = k / n, score_limits(k, n, z=critical)
    lower, upper = _pairs(share, low, high)
    return float(lower.max()), float(upper.max())


def ratio_limits(k: Ints, n: Ints, *, critical: float) -> tuple[float, float]:
    """Return limits for the smallest ratio between two groups' rates `k / n`.

    >>> low, high = ratio_limits(np.array([50, 25]), np.array([100, 100]), critical=1.96)
    >>> round(low, 2), round(high, 2)
    (0.34, 0.73)
    """
    lower, upper = _pairs(*_logarithms(k, n, critical))
    return float(np.exp(-upper.max())), float(np.exp(-lower.max()))


def ratio_limits_to(reference: int, k: Ints, n: Ints, *, critical: float) -> tuple[Floats, Floats]:
    """Return limits for the ratio of each group's rate to that of the group at position `reference`.

    >>> low, high = ratio_limits_to(0, np.array([50, 25]), np.array([100, 100]), critical=1.96)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([1.0, 0.34], [1.0, 0.73])
    """
    centre, low, high = _logarithms(k, n, critical)
    below, above = (centre - low) ** 2, (high - centre) ** 2
    ratio = centre - centre[reference]
    lower, upper = ratio - np.sqrt(below + above[reference]), ratio + np.sqrt(above + below[reference])
    lower[reference] = upper[reference] = 0.0
    return np.exp(lower), np.exp(upper)


def difference_limits_to(reference: int, k: Ints, n: Ints, *, critical: float) -> tuple[Floats, Floats]:
    """Return limits for each group's rate less that of the group at position `reference`.

    >>> low, high = difference_limits_to(1, np.array([56, 48]), np.array([70, 80]), critical=1.96)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0524, 0.0], [0.3339, 0.0])
    """
    share, (low, high) = k / n, score_limits(k, n, z=critical)
    below, above = (share - low) ** 2, (high - share) ** 2
    difference = share - share[reference]
    lower = difference - np.sqrt(below + above[reference])
    upper = difference + np.sqrt(above + below[reference])
    lower[reference] = upper[reference] = 0.0
    return lower, upper


def _logarithms(k: Ints, n: Ints, critical: float) -> tuple[Floats, Floats, Floats]:
    low, high = score_limits(k, n, z=critical)
    # A rate of 0 has no logarithm; half a success keeps its upper limit, and its lower limit is 0 anyway.
    share = np.maximum(k, 0.5) / n
    with np.errstate(divide="ignore"):
        return np.log(share), np.log(low), np.log(high)


def _pairs(centre: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    below, above = (centre - low) ** 2, (high - centre) ** 2
    apart = ~np.eye(len(centre), dtype=bool)
    difference = np.subtract.outer(centre, centre)[apart]
    lower = difference - np.sqrt(np.add.outer(below, above)[apart])
    return lower, difference + np.sqrt(np.add.outer(above, below)[apart])

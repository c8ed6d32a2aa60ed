"""How many features stability selection keeps by mistake on average, at most: bounds of Shah and Samworth (2013)."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from diffoci.inputs import Floats

Assume = Literal["none", "r-concave"]
ASSUME = ("none", "r-concave")
# The exponents Shah and Samworth recommend: for being chosen in both halves of a pair, and for being chosen in a half.
_BOTH, _HALF = -1 / 2, -1 / 4


def false_feature_bound(
    chosen: float, features: int, *, threshold: float, pairs: int, assume: Assume = "none"
) -> float:
    """Bound the expected number of falsely kept features of stability selection over complementary pairs.

    A feature is false here if a half of the rows chooses it no more often than the average feature, that is with
    probability at most ``chosen / features``. Features that have nothing to do with y are among them wherever the
    selector does no worse than guessing and treats such features alike.

    Parameters
    ----------
    chosen : float
        Features chosen from a half of the rows, on average.
    features : int
        Features there are.
    threshold : float
        Share of the halves that must choose a feature for it to be kept; above 0.5.
    pairs : int
        How many times the rows were cut into two halves.
    assume : {"none", "r-concave"}
        "none" holds for every selector (Theorem 1; the bound of Meinshausen and Buhlmann). "r-concave" is much lower
        and assumes that the shares in which a false feature is chosen fall off evenly (Theorem 3).

    Examples
    --------
    >>> false_feature_bound(5, 100, threshold=0.75, pairs=50)
    0.5
    >>> round(false_feature_bound(5, 100, threshold=0.75, pairs=50, assume="r-concave"), 3)
    0.065
    """
    share = min(chosen / features, 1.0)
    plain = share * chosen / (2 * threshold - 1)
    if assume == "none" or share == 0:
        return min(plain, float(features))
    halves = int(np.ceil(round(threshold * 2 * pairs, 9)))
    tail = min(_tail(share**2, halves - pairs, pairs, _BOTH), _tail(share, halves, 2 * pairs, _HALF))
    return min(plain, features * tail)


def most_to_choose(features: int, *, max_false: float, threshold: float, pairs: int, assume: Assume) -> int:
    """Find how many features a half may choose so that the bound is at most `max_false`; 0 where not even one."""

    def allowed(most: int) -> bool:
        return false_feature_bound(most, features, threshold=threshold, pairs=pairs, assume=assume) <= max_false

    low, high = 0, features + 1
    while high - low > 1:  # the bound grows with what may be chosen
        middle = (low + high) // 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return low


@lru_cache(maxsize=4096)
def _tail(mean: float, least: int, steps: int, r: float) -> float:
    """Bound P(X >= least) over all r-concave X on 0..steps whose mean is at most ``mean * steps`` (their appendix A.4).

    The largest tail belongs to weights (a + i)^(1/r) on 0..k with some weight left over for k + 1, where the mean
    settles the weight and a is free in an interval.
    """
    centre = mean * steps
    first = int(np.ceil(2 * centre)) + 1  # on fewer values even the flattest weights have too low a mean
    if least < first or first > steps:
        return 1.0
    flattest = {k: _shape_of_mean(centre, k, r) for k in range(least, steps + 1)}
    best = _tail_of(flattest[steps], least, steps, centre, r)
    for k in range(least, steps):
        low, high = flattest[k + 1], flattest[k]
        inside = minimize_scalar(lambda a, k=k: -_tail_of(a, least, k, centre, r), bounds=(low, high), method="bounded")
        best = max(best, -float(inside.fun), *(_tail_of(a, least, k, centre, r) for a in (low, high)))
    return float(min(best, 1.0))


def _shape_of_mean(centre: float, k: int, r: float) -> float:
    """The a at which weights (a + i)^(1/r) on 0..k have this mean."""

    def excess(log_a: float) -> float:
        weight = _weights(np.exp(log_a), k, r)
        return float(weight @ np.arange(k + 1)) / float(weight.sum()) - centre

    low, high = np.log(1e-12), np.log(1e12)
    if excess(low) > 0:
        return float(np.exp(low))
    return float(np.exp(brentq(excess, low, high, xtol=1e-12)))


def _tail_of(a: float, least: int, k: int, centre: float, r: float) -> float:
    weight = _weights(a, k, r)
    total = float(weight @ (k + 1 - np.arange(k + 1))) / (k + 1 - centre)
    return 1 - float(weight[:least].sum()) / total


def _weights(a: float, k: int, r: float) -> Floats:
    return np.asarray(((a + np.arange(k + 1)) / a) ** (1 / r))

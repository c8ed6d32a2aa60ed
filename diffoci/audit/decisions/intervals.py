"""Numbers with intervals: a value between two limits, and shares of people with Wilson's limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from diffoci.audit.kinds import Count, Number, Share, Stored
from diffoci.inputs import Floats


class Interval(Stored, frozen=True):
    """A value and the limits between which the truth plausibly lies."""

    value: Number
    low: Number
    high: Number


class Rate(Stored, frozen=True):
    """A share `k / n` of people with its interval."""

    value: Share
    low: Share
    high: Share
    k: Count
    n: Count


def wilson_limits(k: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Return the lower and upper limit of Wilson's score interval; NaN where nobody was counted.

    >>> low, high = wilson_limits([0, 5], [10, 10])
    >>> [round(float(limit), 4) for limit in (*low, *high)]
    [0.0, 0.2366, 0.2775, 0.7634]
    """
    from scipy.special import ndtri  # takes a while to load, which those who only read a result need not wait for

    return score_limits(k, n, z=float(ndtri(0.5 + confidence / 2)))


def score_limits(k: ArrayLike, n: ArrayLike, *, z: float) -> tuple[Floats, Floats]:
    """Return Wilson's limits `z` standard errors away; NaN where nobody was counted."""
    successes, people = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    counted = np.where(people > 0, people, np.nan)
    share, z_squared = successes / counted, z * z
    centre = (successes + z_squared / 2) / (counted + z_squared)
    spread = share * (1 - share) / counted + z_squared / (4 * counted**2)
    half_width = np.sqrt(z_squared * spread) / (1 + z_squared / counted)
    # At 0 and n the formula gives 0 and 1 only up to rounding; a limit must never cross its own value.
    return np.clip(centre - half_width, 0, share), np.clip(centre + half_width, share, 1)


def rate(k: int, n: int, *, confidence: float = 0.95) -> Rate | None:
    """Return a share with Wilson's interval, or None where nobody was counted.

    >>> rate(9, 10)
    Rate(value=0.9, low=0.5958499732047615, high=0.9821237869049271, k=9, n=10)
    >>> rate(0, 0) is None
    True
    """
    if n == 0:
        return None
    low, high = wilson_limits(k, n, confidence=confidence)
    return Rate(value=int(k) / int(n), low=float(low), high=float(high), k=int(k), n=int(n))

"""Means over seeds with intervals that allow for splits that overlap, and for those that do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diffoci.audit.result import Mean


def mean_over_seeds(
    values: Sequence[float | None], *, test_share: float = 0.1 / 0.75, most: float | None = None
) -> Mean:
    """Mean over seeds with a 95 % interval that allows for overlapping splits (Nadeau and Bengio).

    `test_share` is what their spread is widened by (`overlap_of_splits`).
    With `most` the interval is cut at 0 and at that value: a rate is never above 1. A seed without a value (its test
    rows lack a group) keeps its position.

    >>> mean_over_seeds([0.5, None]).mean, mean_over_seeds([0.5, None]).low
    (0.5, None)
    """
    every = tuple(None if value is None or not np.isfinite(value) else float(value) for value in values)
    known = np.array([value for value in every if value is not None], dtype=np.float64)
    if not len(known):
        return Mean(None, None, None, every)
    mean = float(known.mean())
    if len(known) == 1:
        return Mean(mean, None, None, every)
    from scipy.special import stdtrit  # Student's t; takes a while to load

    error = float(known.std(ddof=1)) * np.sqrt(1 / len(known) + test_share)
    reach = float(stdtrit(len(known) - 1, 0.975)) * error
    low, high = float(mean - reach), float(mean + reach)
    if most is not None:
        low, high = max(low, 0.0), min(high, most)
    return Mean(mean, low, high, every)

"""Whether two scores differ by more than noise: intervals of differences that count splits, training and test rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from diffoci.audit.decisions.intervals import wilson_limits
from diffoci.audit.kinds import Number, Share, Stored

LEVEL = 0.05
# How far apart numbers are that only rounding sets apart.
EXACTLY = 1e-9
Judgement = Literal["more than noise", "perhaps", "no more than noise", "not known"]
K = TypeVar("K", bound=Hashable)


class Difference(Stored, frozen=True):
    """Second minus first with its 95 % interval; `p_value` is None where one split leaves the noise unknown."""

    value: Number
    low: Number | None = None
    high: Number | None = None
    p_value: Share | None = None


@dataclass(frozen=True)
class Estimate:
    """A mean over splits and the parts of its variance: between splits (with degrees of freedom) and of rows."""

    mean: float
    between_splits: float
    of_rows: float
    degrees: int


def estimate(values: Sequence[float], *, test_share: float, of_rows: float) -> Estimate | None:
    """What is known of a score from its splits; None where one split leaves the variation unknown.

    Splits of the same rows overlap, so their spread is widened as Nadeau and Bengio do (`test_share` is test rows by
    training rows). It still says little about another sample of people, so the error of the test rows (`of_rows`, a
    variance) is added, although the spread has part of it: rather too wide than too narrow.
    """
    if len(values) < 2:
        return None
    spread = float(np.var(values, ddof=1)) * (1 / len(values) + test_share)
    return Estimate(float(np.mean(values)), spread, of_rows, len(values) - 1)


def unpaired_difference(first: Estimate, second: Estimate) -> Difference:
    """For audits of different data or splits; degrees of freedom after Welch and Satterthwaite."""
    value = second.mean - first.mean
    variance = sum(one.between_splits + one.of_rows for one in (first, second))
    uncertain = sum(one.between_splits**2 / one.degrees for one in (first, second))
    return _difference(value, variance, variance**2 / uncertain if uncertain > 0 else np.inf)


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, test_share: float, of_rows: float
) -> Difference:
    """For audits of the same data in the same splits: split by split.

    The error of the rows (`of_rows`, the variance of one score) counts in proportion to the difference: only rows that
    changed sides can make one. Without it two splits that happen to differ by the same amount would seem certain.
    """
    gaps = np.subtract(second, first)
    value = float(gaps.mean())
    between = float(np.var(gaps, ddof=1)) * (1 / len(gaps) + test_share)
    variance = between + 4 * abs(value) * of_rows
    return _difference(value, variance, variance**2 * (len(gaps) - 1) / between**2 if between > 0 else np.inf)


def changed_difference(value: float, *, people: int, lost: int, gained: int, wider: float = 1.0) -> Difference:
    """The difference of two shares of the same people; its noise is that of the people counted in one of them only.

    One is added to either (Bonett and Price), so that no change is not known exactly. `wider` is what the variance is
    multiplied by.

    >>> found = changed_difference(20 / 398, people=398, lost=39, gained=59)
    >>> [round(end, 3) for end in (found.low, found.high)]
    [0.001, 0.099]
    """
    less, more = (lost + 1) / (people + 2), (gained + 1) / (people + 2)
    return normal_difference(value, float(np.sqrt(wider * (less + more - (more - less) ** 2) / (people + 2))))


def share_variance(share: float, rows: int) -> float:
    """Of a share of `rows` people; two successes and two failures are added, so that 100 % is not known exactly.

    >>> round(share_variance(0.5, 96) ** 0.5, 3)
    0.05
    """
    moved = (share * rows + 2) / (rows + 4)
    return moved * (1 - moved) / (rows + 4)


def auc_variance(area: float, inside: float, outside: float) -> float:
    """Of an AUC (Hanley and McNeil) with so many test rows in the group and outside it.

    >>> round(auc_variance(0.5, 50, 50) ** 0.5, 3)
    0.058
    """
    inside, outside = max(inside, 1.0), max(outside, 1.0)
    # An area of 1 on few rows is not known exactly: half a pair may always go the other way.
    area = min(max(area, 1 - area), 1 - 0.5 / (inside * outside))
    both_in, both_out = area / (2 - area), 2 * area**2 / (1 + area)
    pairs = area * (1 - area) + (inside - 1) * (both_in - area**2) + (outside - 1) * (both_out - area**2)
    return pairs / (inside * outside)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for how many were looked at.

    >>> holm([0.01, 0.5, 0.04])
    [0.03, 0.5, 0.08]
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, k in enumerate(np.argsort(p_values)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[k]))
        adjusted[k] = highest
    return adjusted


def share_difference(first: tuple[float, int], second: tuple[float, int]) -> Difference:
    """The second share less the first, each given with its people: Newcombe's interval, and a test with Yates's
    correction, which is close to the exact one for few people too.

    >>> found = share_difference((0.32, 500), (0.07, 500))
    >>> [round(x, 3) for x in (found.value, found.low, found.high)], found.p_value < 1e-20
    ([-0.25, -0.296, -0.203], True)
    """
    from scipy.special import ndtr  # takes a while to load

    (before, n), (after, m) = first, second
    value, each = after - before, 1 / n + 1 / m
    low, high = wilson_limits([before * n, after * m], [n, m], confidence=1 - LEVEL)
    below, above = np.hypot(after - low[1], high[0] - before), np.hypot(high[1] - after, before - low[0])
    pooled = (before * n + after * m) / (n + m)
    error = float(np.sqrt(pooled * (1 - pooled) * each))
    away = max(abs(value) - each / 2, 0.0)
    p_value = float(2 * ndtr(-away / error)) if error > 0 else 1.0
    return Difference(value, value - float(below), value + float(above), p_value)


def normal_difference(value: float, error: float) -> Difference:
    """A difference with a known standard error."""
    from scipy.special import ndtr, ndtri  # takes a while to load

    reach = float(ndtri(1 - LEVEL / 2)) * error
    return Difference(value, value - reach, value + reach, float(2 * ndtr(-abs(value) / error)))


def judge_all(differences: Mapping[K, Difference]) -> dict[K, Judgement]:
    """Whether each difference is more than noise, among as many as were looked at.

    >>> judge_all({"a": Difference(0.1, 0.05, 0.15, 1e-4), "b": Difference(0.1, 0.0, 0.2, 0.04), "c": Difference(0.1)})
    {'a': 'more than noise', 'b': 'more than noise', 'c': 'not known'}
    """
    known = {key: one.p_value for key, one in differences.items() if one.p_value is not None}
    adjusted = dict(zip(known, holm(list(known.values())), strict=True))
    return {key: _judgement(known.get(key), adjusted.get(key)) for key in differences}


def _judgement(p_value: float | None, adjusted: float | None) -> Judgement:
    if p_value is None or adjusted is None:
        return "not known"
    if adjusted < LEVEL:
        return "more than noise"
    return "perhaps" if p_value < LEVEL else "no more than noise"


def without_width(low: float, high: float) -> bool:
    """Whether repetitions happen to agree exactly: their interval has no width, and yet nothing is certain.

    >>> without_width(0.7, 0.7), without_width(0.7, 0.7001)
    (True, False)
    """
    return high - low < EXACTLY


def _difference(value: float, variance: float, degrees: float) -> Difference:
    error = float(np.sqrt(variance))
    if error == 0:
        return Difference(value, value, value, 1.0 if value == 0 else 0.0)
    from scipy.special import stdtr, stdtrit  # Student's t; takes a while to load

    reach = float(stdtrit(degrees, 1 - LEVEL / 2)) * error
    return Difference(value, value - reach, value + reach, float(2 * stdtr(degrees, -abs(value) / error)))

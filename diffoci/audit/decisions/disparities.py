"""Disparities: the worst difference and ratio between groups, with intervals and what shuffled labels give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diffoci.audit.decisions.group_rates import RATES
from diffoci.audit.decisions.intervals import Interval
from diffoci.audit.decisions.pair_limits import difference_limits, ratio_limits
from diffoci.audit.decisions.resampling import critical_value, shuffled_successes
from diffoci.audit.kinds import GroupNames, Share, Stored, Text
from diffoci.audit.verdicts import FEWEST_ROWS
from diffoci.inputs import Floats, Ints

# What each measure compares; equalised odds takes the worse of its two rates, as fairlearn does.
MEASURES = {
    "demographic_parity": ("selection_rate",),
    "true_positive_rate": ("true_positive_rate",),
    "false_positive_rate": ("false_positive_rate",),
    "equalized_odds": ("true_positive_rate", "false_positive_rate"),
}
COMPARISONS = tuple(f"{measure}_{how}" for measure in MEASURES for how in ("difference", "ratio"))
ROUNDING = 1e-12


class Chance(Stored, frozen=True):
    """What shuffled group labels of the same sizes give: the median, the limit 19 in 20 keep, and a p-value."""

    median: Share
    limit: Share
    p_value: Share


class Disparity(Stored, frozen=True, kw_only=True):
    """The worst case over all pairs of judged groups.

    Parameters
    ----------
    value, low, high : float or None
        The value with its interval; None where fewer than two groups have the rate, or the ratio is 0 / 0.
    arithmetic : str
        How it is computed, in words.
    rate, highest, lowest : str or None
        The rate and the two groups that give the value.
    few : tuple of str
        Groups that enter with a rate counted among fewer people than the minimum.
    chance : Chance or None
        What shuffled labels give: over many small groups a low ratio comes by chance alone.
    """

    value: Share | None = None
    low: Share | None = None
    high: Share | None = None
    arithmetic: Text
    rate: Text | None = None
    highest: Text | None = None
    lowest: Text | None = None
    few: GroupNames = ()
    chance: Chance | None = None

    @property
    def found(self) -> Interval | None:
        """The value with its interval, where there is one."""
        if self.value is None or self.low is None or self.high is None:
            return None
        return Interval(self.value, self.low, self.high)


@dataclass(frozen=True, eq=False)
class _Compared:
    """One rate in the groups that have it, in the bootstrap, and under shuffled labels."""

    rate: str
    labels: tuple[str, ...]
    k: Ints
    n: Ints
    drawn_k: Ints
    drawn_n: Ints
    shuffled: Floats

    @property
    def values(self) -> Floats:
        return self.k / self.n


def disparities(
    counts: Ints,
    labels: Sequence[str],
    *,
    drawn: Ints,
    rng: np.random.Generator,
    confidence: float = 0.95,
    minimum: int = FEWEST_ROWS,
) -> dict[str, Disparity]:
    """Compare groups, given their counts by group, label and decision.

    Comparisons are named as fairlearn names them: "demographic_parity_difference", "equalized_odds_ratio", …

    Parameters
    ----------
    counts : array of int, shape (groups, 2, 2)
        People by group, label and decision. Only groups to be compared.
    labels : sequence of str
        The groups' names.
    drawn : array of int, shape (replicates, groups, 2, 2)
        Bootstrap tables of the counts; labels are shuffled as often.
    rng : Generator
        Shuffles the labels.
    confidence : float
        Level of the intervals.
    minimum : int
        A rate counted among fewer people is named in `few`.

    Examples
    --------
    >>> from diffoci.audit.decisions.resampling import bootstrap_counts
    >>> counts, rng = np.array([[[60, 20], [5, 15]], [[70, 10], [8, 12]]]), np.random.default_rng(0)
    >>> drawn = bootstrap_counts(counts, replicates=500, rng=rng)
    >>> parity = disparities(counts, ["m", "f"], drawn=drawn, rng=rng)["demographic_parity_difference"]
    >>> round(parity.value, 2), parity.highest, parity.lowest
    (0.13, 'm', 'f')
    """
    names = dict.fromkeys(rate for rates in MEASURES.values() for rate in rates)
    compared: dict[str, _Compared] = {}
    if len(counts) > 1:
        for rate in names:
            one = _compare(rate, counts, drawn, tuple(labels), rng=rng)
            if one is not None:
                compared[rate] = one
    found = [
        entry
        for measure, rates in MEASURES.items()
        for entry in _both(measure, [compared.get(rate) for rate in rates], confidence=confidence, minimum=minimum)
    ]
    return dict(zip(COMPARISONS, found, strict=True))


def _both(
    measure: str, parts: list[_Compared | None], *, confidence: float, minimum: int
) -> tuple[Disparity, Disparity]:
    rates = [part for part in parts if part is not None]
    # With one of its rates unmeasured, equalised odds would look better than anyone knows.
    if len(rates) < len(parts):
        return _unknown(measure, "difference"), _unknown(measure, "ratio")
    # Half a success and half a failure more: a replicate in which a group has no positives has a rate too.
    draws = [(part.drawn_k + 0.5) / (part.drawn_n + 1) for part in rates]
    critical = critical_value(draws, confidence=confidence)
    difference = _worst(measure, "difference", rates, critical=critical, minimum=minimum)
    # 0 / 0: the groups are alike in this rate, and it has no ratio.
    rates = [part for part in rates if part.k.any()]
    if not rates:
        return difference, _unknown(measure, "ratio")
    return difference, _worst(measure, "ratio", rates, critical=critical, minimum=minimum)


def _unknown(measure: str, comparison: str) -> Disparity:
    return Disparity(arithmetic=_arithmetic(measure, comparison))


def _compare(
    rate: str, counts: Ints, drawn: Ints, labels: tuple[str, ...], *, rng: np.random.Generator
) -> _Compared | None:
    k, n = RATES[rate](counts)
    have = np.flatnonzero(n)
    if len(have) < 2:
        return None
    drawn_k, drawn_n = (part[:, have] for part in RATES[rate](drawn))
    # Among positives only (or negatives only) for the rates of equalised odds: each group keeps its number of them.
    shuffled = shuffled_successes(k[have], n[have], replicates=len(drawn), rng=rng) / n[have]
    return _Compared(rate, tuple(labels[g] for g in have), k[have], n[have], drawn_k, drawn_n, shuffled)


def _worst(measure: str, comparison: str, rates: list[_Compared], *, critical: float, minimum: int) -> Disparity:
    values = [float(_spread(part.values, comparison)) for part in rates]
    chosen = int(np.argmax(values) if comparison == "difference" else np.argmin(values))
    worst = rates[chosen]
    found = _interval(values[chosen], rates, comparison, critical)
    return Disparity(
        value=found.value,
        low=found.low,
        high=found.high,
        arithmetic=_arithmetic(measure, comparison),
        rate=worst.rate,
        highest=worst.labels[int(np.argmax(worst.values))],
        lowest=worst.labels[int(np.argmin(worst.values))],
        chance=_chance(values[chosen], [_spread(part.shuffled, comparison) for part in rates], comparison),
        few=tuple(dict.fromkeys(g for part in rates for g, n in zip(part.labels, part.n, strict=True) if n < minimum)),
    )


def _spread(values: Floats, comparison: str) -> Floats:
    highest: Floats = values.max(-1)
    lowest: Floats = values.min(-1)
    if comparison == "difference":
        return highest - lowest
    return np.divide(lowest, highest, out=np.ones_like(highest), where=highest > 0)


def _interval(value: float, rates: list[_Compared], comparison: str, critical: float) -> Interval:
    if comparison == "difference":
        low, high = np.max([difference_limits(part.k, part.n, critical=critical) for part in rates], axis=0)
    else:
        low, high = np.min([ratio_limits(part.k, part.n, critical=critical) for part in rates], axis=0)
    return Interval(value, low=max(0.0, min(float(low), value)), high=min(1.0, max(float(high), value)))


def _chance(value: float, shuffled: list[Floats], comparison: str) -> Chance:
    if comparison == "difference":
        worst = np.maximum.reduce(shuffled)
        limit, extreme = np.quantile(worst, 0.95), worst >= value - ROUNDING
    else:
        worst = np.minimum.reduce(shuffled)
        limit, extreme = np.quantile(worst, 0.05), worst <= value + ROUNDING
    p_value = (1 + int(extreme.sum())) / (1 + len(worst))
    return Chance(median=float(np.median(worst)), limit=float(limit), p_value=p_value)


def _arithmetic(measure: str, comparison: str) -> str:
    rates = [rate.replace("_", " ") for rate in MEASURES[measure]]
    if comparison == "difference":
        each, worse = [f"highest {rate} minus lowest" for rate in rates], "the larger of "
    else:
        each, worse = [f"lowest {rate} divided by highest" for rate in rates], "the smaller of "
    return each[0] if len(each) == 1 else worse + " and ".join(each)

"""Disparities: the worst difference and ratio between groups, with intervals and what shuffled labels give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diffoci.audit.group_rates import RATES
from diffoci.audit.intervals import Interval
from diffoci.audit.pair_limits import difference_limits, ratio_limits
from diffoci.audit.resampling import critical_value, shuffled_successes
from diffoci.inputs import Floats, Ints

# What each measure compares; equalised odds takes the worse of its two rates, as fairlearn does.
MEASURES = {
    "demographic_parity": ("selection_rate",),
    "true_positive_rate": ("true_positive_rate",),
    "false_positive_rate": ("false_positive_rate",),
    "equalized_odds": ("true_positive_rate", "false_positive_rate"),
}
ROUNDING = 1e-12


@dataclass(frozen=True)
class Chance:
    """What shuffled group labels of the same sizes give: the median, the limit 19 in 20 keep, and a p-value."""

    median: float
    limit: float
    p_value: float


@dataclass(frozen=True)
class Disparity:
    """The worst case over all pairs of judged groups.

    Parameters
    ----------
    name : str
        As fairlearn names it: "demographic_parity_difference", "equalized_odds_ratio", …
    arithmetic : str
        How it is computed, in words.
    found : Interval or None
        The value with its interval; None where fewer than two groups have the rate, or the ratio is 0 / 0.
    rate, highest, lowest : str or None
        The rate and the two groups that give the value.
    chance : Chance or None
        What shuffled labels give: over many small groups a low ratio comes by chance alone.
    few : tuple of str
        Groups that enter with a rate counted among fewer people than the minimum.
    """

    name: str
    arithmetic: str
    found: Interval | None = None
    rate: str | None = None
    highest: str | None = None
    lowest: str | None = None
    chance: Chance | None = None
    few: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        chance = self.chance and {name: getattr(self.chance, name) for name in ("median", "limit", "p_value")}
        found = self.found.to_dict() if self.found else {"value": None, "low": None, "high": None}
        texts = {"rate": self.rate, "highest": self.highest, "lowest": self.lowest, "few": list(self.few)}
        return {**found, "arithmetic": self.arithmetic, **texts, "chance": chance}


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
    minimum: int = 30,
) -> tuple[Disparity, ...]:
    """Compare groups, given their counts by group, label and decision.

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
    >>> from diffoci.audit.resampling import bootstrap_counts
    >>> counts, rng = np.array([[[60, 20], [5, 15]], [[70, 10], [8, 12]]]), np.random.default_rng(0)
    >>> drawn = bootstrap_counts(counts, replicates=500, rng=rng)
    >>> parity = disparities(counts, ["m", "f"], drawn=drawn, rng=rng)[0]
    >>> parity.name, round(parity.found.value, 2), parity.highest, parity.lowest
    ('demographic_parity_difference', 0.13, 'm', 'f')
    """
    names = dict.fromkeys(rate for rates in MEASURES.values() for rate in rates)
    compared: dict[str, _Compared] = {}
    if len(counts) > 1:
        for rate in names:
            found = _compare(rate, counts, drawn, tuple(labels), rng=rng)
            if found is not None:
                compared[rate] = found
    return tuple(
        entry
        for measure, rates in MEASURES.items()
        for entry in _both(measure, [compared.get(rate) for rate in rates], confidence=confidence, minimum=minimum)
    )


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
    return Disparity(f"{measure}_{comparison}", _arithmetic(measure, comparison))


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
    return Disparity(
        name=f"{measure}_{comparison}",
        arithmetic=_arithmetic(measure, comparison),
        found=_interval(values[chosen], rates, comparison, critical),
        rate=worst.rate,
        highest=worst.labels[int(np.argmax(worst.values))],
        lowest=worst.labels[int(np.argmin(worst.values))],
        chance=_chance(values[chosen], [_spread(part.shuffled, comparison) for part in rates], comparison),
        few=tuple(dict.fromkeys(g for part in rates for g, n in zip(part.labels, part.n, strict=True) if n < minimum)),
    )


def _spread(values: Floats, comparison: str) -> Floats:
    highest, lowest = values.max(-1), values.min(-1)
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

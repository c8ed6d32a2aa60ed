"""Two models on the same people: whether one has the smaller gap by more than noise."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
from scipy.special import ndtr

from diffoci.audit.decisions.grouping import Grouping
from diffoci.audit.decisions.intervals import Interval
from diffoci.audit.decisions.resampling import bootstrap_counts
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.people import Decided, People
from diffoci.model_audit.rate_names import MODEL_RATES
from diffoci.model_audit.rates import known_rates
from diffoci.model_audit.result import PairedGap
from diffoci.model_audit.spec import ModelSettings

COMPARED = ("selection_rate", "true_positive_rate", "false_positive_rate")
MOST_COMPARED = 6  # models, each with each


def paired_gaps(people: People, decisions: dict[str, Decided], settings: ModelSettings) -> tuple[PairedGap, ...]:
    """Compare every two models by the gap (highest rate less lowest) between the judged groups of each attribute.

    People are redrawn with both decisions about them, so that what the two have in common cancels.
    """
    deciding = {name: one for name, one in decisions.items() if one.selected is not None}
    names = list(deciding)[:MOST_COMPARED]
    if len(names) < 2 or not len(people.groups.columns):
        return ()
    return tuple(
        gap
        for groups in people.groupings
        for first, second in combinations(names, 2)
        for gap in _compare(groups, people, (first, second), (deciding[first], deciding[second]), settings)
    )


def _compare(
    groups: Grouping, people: People, names: tuple[str, str], pair: tuple[Decided, Decided], settings: ModelSettings
) -> list[PairedGap]:
    label = people.two_classes if people.two_classes is not None else np.zeros(len(people), dtype=np.int64)
    one, two = (np.asarray(side.selected) for side in pair)
    counts = groups.counts(label, one, two, sizes=(2, 2, 2))
    counts = counts[counts.sum((1, 2, 3)) >= settings.minimum]
    if len(counts) < 2:
        return []
    rng = np.random.default_rng(settings.seed)
    drawn = bootstrap_counts(counts, replicates=settings.replicates, rng=rng)
    known = known_rates(people, pair[0])
    found = (_gap(rate, counts, drawn, groups, names, settings) for rate in COMPARED if rate in known)
    return [gap for gap in found if gap is not None]


def _gap(
    rate: str, counts: Ints, drawn: Ints, groups: Grouping, names: tuple[str, str], settings: ModelSettings
) -> PairedGap | None:
    found = [spread(rate, counts.sum(axis)) for axis in (-1, -2)]  # summed over the other model's decisions
    if not all(np.isfinite(value) for value in found):
        return None
    moved = np.subtract(*reversed([spread(rate, drawn.sum(axis)) for axis in (-1, -2)]))
    moved = moved[np.isfinite(moved)]
    value, tail = float(found[1] - found[0]), (1 - settings.confidence) / 2
    # The largest of several gaps errs upwards in every redraw: only how far redraws lie apart is taken from them.
    away = moved - moved.mean()
    low, high = np.quantile(away, [tail, 1 - tail])
    return PairedGap(
        first=names[0],
        second=names[1],
        attributes=groups.attributes,
        rate=rate,
        gap_first=float(found[0]),
        gap_second=float(found[1]),
        difference=Interval(value, value + float(low), value + float(high)),
        p_value=_p_value(value, away),
    )


def _p_value(value: float, away: Floats) -> float:
    """How often redraws lie as far from their mean as the difference lies from zero.

    Where none does, a normal distribution as wide as the redraws says how rare that is: among hundreds of differences
    one must be rarer than the fewest that redraws can count.
    """
    counted = int((np.abs(away) >= abs(value) - 1e-12).sum())
    rarest = 1 / (1 + len(away))
    if counted:
        return (1 + counted) * rarest
    tail = float(2 * ndtr(-abs(value) / max(float(away.std()), 1e-300)))
    return min(rarest, max(tail, sys.float_info.min))  # rarer than a number can say is not never


def spread(rate: str, counts: Ints) -> Floats:
    """Highest less lowest rate over groups that have it; NaN with fewer than two."""
    k, n = MODEL_RATES[rate](counts)
    share = np.where(n > 0, k / np.maximum(n, 1), np.nan)
    enough = (n > 0).sum(-1) > 1
    high, low = np.where(n > 0, share, -np.inf).max(-1), np.where(n > 0, share, np.inf).min(-1)
    return np.where(enough, high - low, np.nan)

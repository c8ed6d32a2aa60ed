"""What is left of a gap among people who are alike in legitimate factors: standardised over their strata."""

from __future__ import annotations

import numpy as np
from scipy import stats

from diffoci.audit.decisions.grouping import group_by
from diffoci.audit.decisions.intervals import Interval, rate
from diffoci.audit.decisions.pair_limits import difference_limits_to
from diffoci.audit.noise import share_variance
from diffoci.inputs import Ints
from diffoci.model_audit.people import Decided, People
from diffoci.model_audit.result import StandardisedGap, Stratum
from diffoci.model_audit.spec import ModelSettings

# Of either group in a stratum; with fewer a gap within it says nothing.
FEWEST_IN_STRATUM = 5
MOST_SHOWN = 200


def standardised_gaps(
    people: People, decision: Decided, attribute: str, settings: ModelSettings
) -> tuple[StandardisedGap, ...]:
    """Compare every judged group with the reference, raw and within strata of the factors."""
    if decision.selected is None or not len(people.factors.columns) or attribute not in people.groups:
        return ()
    groups = people.grouped((attribute,))
    size = np.bincount(groups.codes, minlength=len(groups))
    judged = [k for k in range(len(groups)) if size[k] >= settings.minimum]
    if len(judged) < 2:
        return ()
    names = groups.labels
    largest = max(judged, key=lambda k: int(size[k]))
    reference = next((k for k in judged if names[k] == settings.reference), largest)
    strata = group_by(people.factors, list(map(str, people.factors.columns)))
    counts = np.stack(
        [strata.counts(decision.selected, groups.codes, sizes=(2, len(groups)))[:, :, k] for k in range(len(groups))]
    )  # group, stratum, decision
    return tuple(
        _gap(counts[k], counts[reference], (names[k], names[reference]), strata.labels, settings)
        for k in judged
        if k != reference
    )


def _gap(
    own: Ints, other: Ints, names: tuple[str, str], strata: tuple[str, ...], settings: ModelSettings
) -> StandardisedGap:
    people = own.sum(1) + other.sum(1)
    usable = (own.sum(1) >= FEWEST_IN_STRATUM) & (other.sum(1) >= FEWEST_IN_STRATUM)
    present = people > 0
    kept = np.flatnonzero(usable)
    return StandardisedGap(
        group=names[0],
        reference=names[1],
        raw=gap_of(own.sum(0), other.sum(0), settings),
        standardised=standardised_gap(own[kept], other[kept], settings) if len(kept) else None,
        strata=tuple(_stratum(strata[k], own[k], other[k], settings) for k in kept[:MOST_SHOWN]),
        left_out=int((present & ~usable).sum()),
        people_left_out=int(people[~usable].sum()),
    )


def gap_of(own: Ints, other: Ints, settings: ModelSettings) -> Interval:
    """How much more often one group is selected than another, from those who are not and those who are."""
    both = np.array([own, other])
    low, high = difference_limits_to(1, both[:, 1], both.sum(1), critical=_critical(settings))
    share = both[:, 1] / both.sum(1)
    return Interval(float(share[0] - share[1]), float(low[0]), float(high[0]))


def standardised_gap(own: Ints, other: Ints, settings: ModelSettings) -> Interval:
    """The mean gap within strata, each counted by the people of the two groups in it."""
    weight = (own.sum(1) + other.sum(1)) / (own.sum() + other.sum())
    gap = own[:, 1] / own.sum(1) - other[:, 1] / other.sum(1)
    variance = [
        share_variance(a[1] / a.sum(), int(a.sum())) + share_variance(b[1] / b.sum(), int(b.sum()))
        for a, b in zip(own, other, strict=True)
    ]
    value, reach = float(weight @ gap), _critical(settings) * float(np.sqrt(weight**2 @ np.array(variance)))
    return Interval(value, max(-1.0, value - reach), min(1.0, value + reach))


def _critical(settings: ModelSettings) -> float:
    return float(stats.norm.ppf(0.5 + settings.confidence / 2))


def _stratum(name: str, own: Ints, other: Ints, settings: ModelSettings) -> Stratum:
    rates = [rate(int(one[1]), int(one.sum()), confidence=settings.confidence) for one in (own, other)]
    group, reference = rates
    assert group is not None  # a usable stratum has people of both
    assert reference is not None
    return Stratum(name, group, reference)

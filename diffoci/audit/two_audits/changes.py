"""Two audits side by side: what changed for every method they share, and whether it is more than noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import Struct

from diffoci.audit.methods import REFERENCE
from diffoci.audit.noise import (
    Difference,
    Judgement,
    auc_variance,
    estimate,
    judge_all,
    paired_difference,
    share_variance,
    unpaired_difference,
)
from diffoci.audit.result import AuditResult, Guessed, Label, Mean, Verdict
from diffoci.audit.splitting import are_folds
from diffoci.audit.two_audits._rate_changes import What, rates_of

Attributes = tuple[str, str]


class Change(Struct, frozen=True):
    """One score in both audits; "perhaps" is what stands out alone, but not among as many comparisons as were made."""

    first: float
    second: float
    difference: Difference
    judgement: Judgement


class MethodChange(Struct, frozen=True):
    """One method and attribute: accuracy of y, AUC of guessing the attribute, and the verdicts on it."""

    method: str
    called: str
    attributes: Attributes
    y: Change
    guessed: Change | None
    verdicts: tuple[Verdict, Verdict]


class RateChange(Struct, frozen=True):
    """How often one group has the outcome, or is predicted to by the method spoken of first; or the gap in that
    between two groups ("M over F").
    """

    what: What
    attribute: str
    group: str
    change: Change


class DroppedChange(Struct, frozen=True):
    """A feature that more than half of the seeds dropped in one audit only; shares are those of seeds."""

    given: tuple[tuple[str, ...], tuple[str, ...]]
    feature: str
    shares: tuple[float, float]
    seeds: tuple[int, int]

    @property
    def every_seed(self) -> bool:
        """Whether all seeds of one audit dropped it and none of the other."""
        return sorted(self.shares) == [0.0, 1.0]


class TwoAudits(Struct, frozen=True):
    """What two audits have in common, compared. `paired`: the same data in the same splits."""

    labels: tuple[Label, Label]
    methods: tuple[MethodChange, ...]
    rates: tuple[RateChange, ...]
    dropped: tuple[DroppedChange, ...]
    paired: bool
    comparisons: int

    @property
    def main(self) -> MethodChange:
        """The row to speak of first: the standard data, or the first method both have."""
        return next((row for row in self.methods if row.method == REFERENCE), self.methods[0])


def compare_audits(first: AuditResult, second: AuditResult) -> TwoAudits:
    """Compare all methods both audits have, for the attributes they share, or else for those of the same rank.

    Where the attributes and the outcome are the same, outcomes and predictions of every group are compared as well.

    Raises
    ------
    ValueError
        With a sentence, where they share no method.
    """
    shared = [one.name for one in first.methods if any(one.name == two.name for two in second.methods)]
    if not shared:
        raise ValueError("These audits have no method in common, so there is nothing to compare.")
    paired = _same_splits(first, second)
    pairs = attribute_pairs(first, second)
    sides = {
        (method, pair): (_side(first, method, pair[0]), _side(second, method, pair[1]))
        for method in shared
        for pair in pairs
    }
    # The accuracy of y does not depend on the attribute: it is one comparison a method.
    looked: dict[Any, _Compared] = {}
    for (method, pair), (one, two) in sides.items():
        looked["y", method] = _compared(one.y, two.y, paired=paired)
        if one.guessed.mean.mean is not None and two.guessed.mean.mean is not None:
            looked[pair, method] = _compared(one.guessed, two.guessed, paired=paired)
    rates = list(rates_of(first, second, REFERENCE if REFERENCE in shared else shared[0]))
    looked |= {("rate", k): _Compared(rate.first, rate.second, rate.difference) for k, rate in enumerate(rates)}
    changes = dict(_judged(looked))
    methods = tuple(
        MethodChange(
            method,
            first.method(method).called,
            pair,
            changes["y", method],
            changes.get((pair, method)),
            (one.verdict, two.verdict),
        )
        for (method, pair), (one, two) in sides.items()
    )
    return TwoAudits(
        labels=(first.label, second.label),
        methods=methods,
        rates=tuple(
            RateChange(rate.what, rate.attribute, rate.group, changes["rate", k]) for k, rate in enumerate(rates)
        ),
        dropped=tuple(_dropped(first, second, pairs)),
        paired=paired,
        comparisons=len(looked),
    )


def attribute_pairs(first: AuditResult, second: AuditResult) -> list[Attributes]:
    """Attributes of the same name; where there are none, the first with the first, and so on."""
    common = [(name, name) for name in first.groups if name in second.groups]
    return common or list(zip(first.groups, second.groups, strict=False))


def _same_splits(first: AuditResult, second: AuditResult) -> bool:
    def splits(result: AuditResult) -> tuple[Any, ...]:
        settings = result.spec.settings
        return result.provenance.sha256, list(settings["fractions"]), are_folds(settings, result.provenance.rows)

    seeds = {one.seeds for result in (first, second) for one in result.methods}
    return splits(first) == splits(second) and len(seeds) == 1


@dataclass(frozen=True)
class _Measured:
    """A score of one audit with the variance that its test rows give it."""

    mean: Mean
    of_rows: float
    test_share: float

    @property
    def known(self) -> list[float]:
        return [value for value in self.mean.values if value is not None]


@dataclass(frozen=True)
class _Side:
    """One method and attribute in one audit."""

    y: _Measured
    guessed: _Measured
    verdict: Verdict


@dataclass(frozen=True)
class _Compared:
    first: float
    second: float
    difference: Difference


def _side(result: AuditResult, method: str, attribute: str) -> _Side:
    one = result.method(method)
    found = one.leakage.by_attribute[attribute]["representation"]
    accuracy, share = one.y.accuracy, result.test_share
    return _Side(
        y=_Measured(accuracy, share_variance(accuracy.mean or 0.0, found.test_rows), share),
        guessed=_Measured(found.auc, _variance_of_area(result, found, attribute), share),
        verdict=found.verdict,
    )


def _compared(one: _Measured, two: _Measured, *, paired: bool) -> _Compared:
    before, after = one.mean.mean or 0.0, two.mean.mean or 0.0
    if paired and len(one.known) == len(two.known) > 1:
        of_rows = max(one.of_rows, two.of_rows)
        difference = paired_difference(one.known, two.known, test_share=one.test_share, of_rows=of_rows)
        return _Compared(before, after, difference)
    estimates = [estimate(side.known, test_share=side.test_share, of_rows=side.of_rows) for side in (one, two)]
    if estimates[0] is None or estimates[1] is None:
        return _Compared(before, after, Difference(after - before))
    return _Compared(before, after, unpaired_difference(estimates[0], estimates[1]))


def _variance_of_area(result: AuditResult, found: Guessed, attribute: str) -> float:
    """Of the mean of one group against the others; taken as fully dependent, which is the widest it can be."""
    sizes = {name: group.rows for name, group in result.groups[attribute].items()}
    judged = {name: rows for name, rows in sizes.items() if name not in found.not_judged} or sizes
    tested = found.test_rows / max(sum(sizes.values()), 1)
    everyone = sum(judged.values()) * tested
    errors = [
        np.sqrt(auc_variance(found.auc.mean or 0.5, rows * tested, everyone - rows * tested))
        for rows in judged.values()
    ]
    return float(np.mean(errors)) ** 2


def _judged(looked: dict[Any, _Compared]) -> Iterator[tuple[Any, Change]]:
    judgements = judge_all({key: one.difference for key, one in looked.items()})
    for key, one in looked.items():
        yield key, Change(one.first, one.second, one.difference, judgements[key])


def _dropped(first: AuditResult, second: AuditResult, pairs: Sequence[Attributes]) -> Iterator[DroppedChange]:
    """Features both audits have, dropped in one of them and not in the other under the same condition."""
    other = dict(pairs)
    after = {condition.given: condition for condition in second.features.conditions}
    names = (first.features.names, second.features.names)
    for condition in first.features.conditions:
        given = tuple(other.get(name, name) for name in condition.given)
        if given not in after:
            continue
        both = (condition, after[given])
        for feature in names[0]:
            if feature in names[1] and (feature in both[0].dropped) != (feature in both[1].dropped):
                share = [one.frequency[known.index(feature)] for one, known in zip(both, names, strict=True)]
                seeds = [len(one.values) for one in both]
                yield DroppedChange((condition.given, given), feature, (share[0], share[1]), (seeds[0], seeds[1]))

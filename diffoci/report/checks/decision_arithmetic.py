"""Work decisions out again from the counts a result keeps: sizes, gaps, four-fifths ratios, calibration, the law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from diffoci.audit.certificates.ceiling import slack
from diffoci.audit.decisions import DecisionSettings, GroupComparison, compare_counts
from diffoci.audit.decisions.group_rates import RATES, GroupRates
from diffoci.audit.decisions.local_law_144 import Counted, counted_again, law_columns
from diffoci.audit.result import Decided
from diffoci.inputs import Ints
from diffoci.report.checks.agreement import Pair


def decided_pairs(decided: Decided | None, attributes: Sequence[str], where: str) -> Iterator[Pair]:
    """What is stated of decisions beside what the counts of the same groups give."""
    if decided is None:
        return
    settings = DecisionSettings()
    yield f"{where} › decisions › settings", decided.settings, settings
    compared = [(name,) for name in attributes] + ([tuple(attributes)] if len(attributes) > 1 else [])
    yield f"{where} › decisions › compared by", [one.attributes for one in decided.comparisons], compared
    yield from _group(decided.overall, settings, f"{where} › decisions › everyone")
    for comparison in decided.comparisons:
        yield from _compared(comparison, settings, f"{where} › decisions by {'+'.join(comparison.attributes)}")
        yield from _overall(decided.overall, comparison, f"{where} › decisions › everyone")
    yield f"{where} › decisions › people", decided.people, decided.overall.n
    for attribute, bounds in decided.any_threshold.items():
        error = (1 - settings.confidence) / max(1, len(bounds))
        for bound in bounds:
            there = f"{where} › any threshold by {attribute} › {' and '.join(bound.groups)} › slack"
            yield there, bound.slack, slack(bound.people, error) if min(bound.people) else None
    groups = {
        comparison.attributes: [Counted(tuple(one.levels.values()), one.n, one.selected) for one in comparison.groups]
        for comparison in decided.comparisons
    }
    law = decided.local_law_144
    yield f"{where} › Local Law 144 applies", law is not None, any(law_columns(attributes))
    if law is not None:
        yield f"{where} › Local Law 144", law, counted_again(law, groups, attributes)


def _compared(comparison: GroupComparison, settings: DecisionSettings, where: str) -> Iterator[Pair]:
    for group in comparison.groups:
        yield from _group(group, settings, f"{where} › {group.label}")
    judged = [group for group in comparison.groups if group.judged]
    counts = _counts(judged)
    if (counts < 0).any():
        yield f"{where} › counts", "as stated", "more were predicted yes than there are people"
        return
    between, ratios = compare_counts(counts, [group.label for group in judged], settings)
    yield f"{where} › gaps", comparison.between, between
    yield f"{where} › four fifths", comparison.four_fifths, ratios
    yield f"{where} › not judged", comparison.not_judged, [one.label for one in comparison.groups if not one.judged]


def _overall(overall: GroupRates, comparison: GroupComparison, where: str) -> Iterator[Pair]:
    """Everyone together is the sum of the groups, however they are cut."""
    by = "+".join(comparison.attributes)
    for name in ("n", "positives", "selected"):
        yield f"{where} by {by} › {name}", getattr(overall, name), sum(getattr(one, name) for one in comparison.groups)
    if all(group.judged for group in comparison.groups):
        counts = _counts(comparison.groups).sum(axis=0)
        for name, stated in overall.rates.items():
            k, n = RATES[name](counts)
            given = "0 of 0" if stated is None else f"{stated.k} of {stated.n}"
            yield f"{where} by {by} › {name}", given, f"{k} of {n}"


def _counts(groups: Sequence[GroupRates]) -> Ints:
    """People by group, label and decision, from the rates of judged groups."""
    return np.array([_table(group) for group in groups], dtype=np.int64).reshape(len(groups), 2, 2)


def _table(group: GroupRates) -> list[list[int]]:
    without, with_label = group.false_positive_rate, group.true_positive_rate
    selected = [0 if one is None else one.k for one in (without, with_label)]
    people = [group.n - group.positives, group.positives]
    return [[all_ - chosen, chosen] for all_, chosen in zip(people, selected, strict=True)]


def _group(group: GroupRates, settings: DecisionSettings, where: str) -> Iterator[Pair]:
    yield f"{where} › judged", group.judged, group.n >= settings.minimum
    if not group.judged:
        return
    counts = np.array(_table(group))
    yield f"{where} › selected", group.selected, int(counts[:, 1].sum())
    for name, stated in group.rates.items():
        k, n = RATES[name](counts)
        yield f"{where} › {name} › of", "0 of 0" if stated is None else f"{stated.k} of {stated.n}", f"{k} of {n}"
    if group.calibration is not None and group.calibration.bins:
        bins = group.calibration.bins
        people = sum(one.observed.n for one in bins)
        apart = sum(abs(one.observed.n * one.mean_score - one.observed.k) for one in bins)
        yield f"{where} › people in bins", group.n, people
        yield (
            f"{where} › calibration error",
            group.calibration.expected_calibration_error,
            apart / max(people, 1),
        )

"""Work decisions out again from the counts a result keeps: sizes, gaps, four-fifths ratios, calibration, the law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from diffoci.audit.certificates.ceiling import slack
from diffoci.audit.decisions import DecisionSettings, GroupComparison, compare_counts
from diffoci.audit.decisions.group_rates import RATES, GroupRates
from diffoci.audit.decisions.local_law_144 import SMALL_SHARE, ImpactTable
from diffoci.audit.result import Decided
from diffoci.inputs import Ints
from diffoci.report.checks.agreement import Pair, alike


def decided_pairs(decided: Decided | None, where: str) -> Iterator[Pair]:
    """What is stated of decisions beside what the counts of the same groups give."""
    if decided is None:
        return
    settings = DecisionSettings()
    yield from alike(decided.settings, settings, f"{where} › decisions › settings")
    for comparison in decided.comparisons:
        yield from _compared(comparison, settings, f"{where} › decisions by {'+'.join(comparison.attributes)}")
        yield from _overall(decided.overall, comparison, f"{where} › decisions › everyone")
    yield f"{where} › decisions › people", decided.people, decided.overall.n
    for attribute, bounds in decided.any_threshold.items():
        error = (1 - settings.confidence) / max(1, len(bounds))
        for bound in bounds:
            there = f"{where} › any threshold by {attribute} › {' and '.join(bound.groups)} › slack"
            yield there, bound.slack, slack(bound.people, error) if min(bound.people) else None
    groups = {comparison.attributes: comparison.groups for comparison in decided.comparisons}
    for table in () if decided.local_law_144 is None else decided.local_law_144.tables:
        known = {group.label: group for group in groups.get(table.attributes, ())}
        yield from _impact(table, known, f"{where} › Local Law 144 by {'+'.join(table.attributes)}")


def _compared(comparison: GroupComparison, settings: DecisionSettings, where: str) -> Iterator[Pair]:
    for group in comparison.groups:
        yield from _group(group, settings, f"{where} › {group.label}")
    judged = [group for group in comparison.groups if group.judged]
    counts = _counts(judged)
    if (counts < 0).any():
        yield f"{where} › counts", "as stated", "more were predicted yes than there are people"
        return
    between, ratios = compare_counts(counts, [group.label for group in judged], settings)
    yield from alike(comparison.between, between, f"{where} › gaps")
    yield from alike(comparison.four_fifths, ratios, f"{where} › four fifths")


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


def _impact(table: ImpactTable, groups: Mapping[str, GroupRates], where: str) -> Iterator[Pair]:
    rates = {row.category: row.selected / row.applicants for row in table.categories}
    highest = max(rates.values(), default=0.0)
    everybody = sum(row.applicants for row in table.categories)
    for row in table.categories:
        here = f"{where} › {row.category}"
        yield f"{here} › rate", row.rate, rates[row.category]
        yield f"{here} › under 2 %", row.small, row.applicants < SMALL_SHARE * everybody
        if row.impact_ratio is not None:
            yield f"{here} › impact ratio", row.impact_ratio, rates[row.category] / highest if highest else None
        if (group := groups.get(row.category)) is not None:
            yield f"{here} › applicants", row.applicants, group.n
            yield f"{here} › selected", row.selected, group.selected

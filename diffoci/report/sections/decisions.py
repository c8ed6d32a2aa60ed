"""Decisions in the report: rates by group and intersection, gaps, four fifths, calibration, Local Law 144."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from diffoci.audit.decisions import GroupComparison
from diffoci.audit.decisions.group_rates import GroupRates
from diffoci.audit.decisions.intervals import Rate
from diffoci.audit.decisions.local_law_144 import ImpactTable
from diffoci.audit.findings import NO_CHOICE, selected
from diffoci.audit.result import AuditResult, Decided, MethodResult
from diffoci.audit.words import listed
from diffoci.figures.decisions import rates as decisions
from diffoci.figures.decisions import words as decision_words
from diffoci.figures.decisions.calibration import MOST_LINES, calibration
from diffoci.figures.decisions.rates import RATES, Compared, limits_text
from diffoci.report._shortening import IN_FULL
from diffoci.report.summary import missing_in_law
from diffoci.report.writing.blocks import (
    NOTHING,
    Block,
    Follows,
    Heading,
    Picture,
    Points,
    Section,
    Sources,
    Table,
    Words,
)

MOST_GROUPS = 12


def sections(result: AuditResult) -> Iterator[Section]:
    """Whom decisions would favour, by each attribute alone."""
    decided = _first(result)
    if decided is None:
        why = "the outcome has more than two classes" if len(result.label.classes) != 2 else "no method finished"
        yield Section("Decisions by group", (Words(f"No decisions were measured: {why}."),))
        return
    yield Section("Decisions by group", tuple(_decisions(result, decided)))


def appendix(result: AuditResult) -> Iterator[Section]:
    """Four fifths, calibration, every method and every intersection, and the city's tables."""
    decided = _first(result)
    if decided is not None:
        yield Section("Decisions by group and intersection in detail", tuple(_details(result, decided)), folded=True)
        yield Section("Local Law 144 (New York City)", tuple(_law(result)), folded=True)


def _first(result: AuditResult) -> Decided | None:
    reference = result.findings.reference
    return None if reference is None else result.method(reference).decisions


def _shown(result: AuditResult) -> list[MethodResult]:
    """The data as they are, and the method to speak of beside them."""
    names = dict.fromkeys([result.findings.reference, result.findings.chosen])
    return [result.method(name) for name in names if name is not None]


def _decisions(result: AuditResult, first: Decided) -> Iterator[Block]:
    outcome, minimum = result.label.classes[1], first.settings.minimum
    yield Words(
        f"{decision_words.WHOSE} It predicts “{outcome}”; selected is whose score is at least {first.threshold}. "
        f"Every person tested in some repetition counts once: {first.people:,} people. Groups of fewer than {minimum} "
        "are listed, not judged. Intervals are at 95 %; chance is what groups of the same sizes give when their "
        "labels are shuffled."
    )
    for comparison in first.comparisons:
        if _is_in_body(result, comparison):
            yield Heading(f"By {comparison.attributes[0]}")
            yield from _by_group(result, comparison)
    if further := result.attributes[IN_FULL:]:
        yield Words(f"Rates and gaps by {listed(further)} stand in the appendix.")


def _is_in_body(result: AuditResult, comparison: GroupComparison) -> bool:
    return len(comparison.attributes) == 1 and comparison.attributes[0] in result.attributes[:IN_FULL]


def _by_group(result: AuditResult, comparison: GroupComparison) -> Iterator[Block]:
    """Rates and gaps, and for one attribute the gap that no threshold exceeds."""
    compared = _beside(result, comparison.attributes)
    yield from _rates(compared)
    yield from _gaps(compared)
    if len(comparison.attributes) == 1:
        attribute = comparison.attributes[0]
        bounded = [(one, decision_words.any_threshold(one.decisions, attribute)) for one in _shown(result)]
        if any(said for _, said in bounded):
            yield Points(tuple(f"{one.title}: {said}" for one, said in bounded if said))


def _details(result: AuditResult, first: Decided) -> Iterator[Block]:
    for comparison in first.comparisons:
        yield Heading(f"By {' × '.join(comparison.attributes)}")
        if not _is_in_body(result, comparison):
            yield from _by_group(result, comparison)
        yield from _between(_beside(result, comparison.attributes))
        everyone = {one.called: by for one in result.methods if (by := _by(one, comparison.attributes)) is not None}
        yield _selection_gaps(everyone)
        small = [f"{group.label}: {group.note}" for group in comparison.groups if not group.judged]
        if small:
            yield Words("Too few people to judge:")
            yield Points(tuple(small))


def _beside(result: AuditResult, attributes: tuple[str, ...]) -> Compared:
    """The comparison by these attributes of the methods that are shown, by their titles."""
    return {one.title: by for one in _shown(result) if (by := _by(one, attributes)) is not None}


def _by(one: MethodResult, attributes: tuple[str, ...]) -> GroupComparison | None:
    comparisons = () if one.decisions is None else one.decisions.comparisons
    return next((comparison for comparison in comparisons if comparison.attributes == attributes), None)


def _judged(compared: Compared) -> list[GroupRates]:
    return [group for group in next(iter(compared.values())).groups if group.judged]


def _rates(compared: Compared) -> Iterator[Block]:
    rates = Table("Rates of every group", rate_frame(compared), follows=_rate_sources(compared))
    yield Picture(decisions.rates(compared), rates) if 0 < len(_judged(compared)) <= MOST_GROUPS else rates


def _gaps(compared: Compared) -> Iterator[Block]:
    """How the groups that are judged compare."""
    judged = _judged(compared)
    if len(judged) == 1:
        yield Words(f"Only {judged[0].label} has enough people to be judged, so there is no group to compare with.")
    elif judged:
        frame = decision_words.gaps(compared)
        yield Table(
            "Largest gaps between groups, in points, and smallest ratios", frame, follows=_gap_sources(compared)
        )


def _between(compared: Compared) -> Iterator[Block]:
    """The four-fifths rule, and whether a score means the same in each group."""
    judged = _judged(compared)
    if len(judged) > 1:
        table = _ratios(decision_words.chosen_from(compared))
        if table.frame.empty:
            yield Words("Everybody or nobody was predicted yes, so there is no four-fifths ratio.")
        else:
            few = len(judged) <= MOST_GROUPS
            yield Picture(decisions.four_fifths(decision_words.chosen_from(compared)), table) if few else table
    if judged:
        scores = _calibrated(compared)
        yield Picture(calibration(compared), scores) if len(judged) <= MOST_LINES else scores


def rate_frame(compared: Compared) -> pd.DataFrame:
    """Rates with their intervals, one row a group and method."""
    rows = []
    for title, comparison in compared.items():
        for group in comparison.groups:
            row: dict[str, object] = {"Group": group.label, "Method": title, "People": group.n}
            for name, words in RATES.items():
                row[words.capitalize()] = _rate_text(group.rates[name]) if group.judged else "not judged"
            rows.append(row)
    return pd.DataFrame(rows)


def _rate_sources(compared: Compared) -> dict[str, list[Follows | None]]:
    """Where the cells of `rate_frame` come from."""
    groups = [group for comparison in compared.values() for group in comparison.groups]
    follows: dict[str, list[Follows | None]] = {"People": [Follows(group, "count", "n") for group in groups]}
    for name, words in RATES.items():
        found = [group.rates[name] for group in groups]
        follows[words.capitalize()] = [None if one is None else Follows(one, "rate") for one in found]
    return follows


def _rate_text(rate: Rate | None) -> str:
    return NOTHING if rate is None else f"{100 * rate.value:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f} %)"


def _gap_sources(compared: Compared) -> dict[str, list[Follows | None]]:
    """Where the cells of `decision_words.gaps` come from: of every measure, one line a method."""
    follows: dict[str, list[Follows | None]] = {"Value": [], "Interval": [], "Between": [], "Chance": []}
    for name in decision_words.GAPS:
        for comparison in compared.values():
            gap = comparison.between[name]
            known = gap.value is not None and gap.chance is not None and selected(comparison) not in NO_CHOICE
            unit = "ratio" if name.endswith("_ratio") else "points"
            for column, cells in follows.items():
                cells.append(Follows(gap, f"{unit}: {column.lower()}") if known else None)
    return follows


def _selection_gaps(compared: Compared) -> Table:
    frame = decision_words.gaps(compared)
    first: pd.DataFrame = frame[frame["Measure"] == frame["Measure"].iloc[0]]
    follows = {name: cells[: len(first)] for name, cells in _gap_sources(compared).items()}
    frame = first.drop(columns="Measure").reset_index(drop=True)
    return Table("Gap in being predicted yes, every method", frame, follows=follows)


def _ratios(compared: Compared) -> Table:
    entries = [(title, entry) for title, comparison in compared.items() for entry in comparison.four_fifths]
    rows = [
        {
            "Group": entry.label,
            "Method": title,
            "Ratio": f"{entry.value:.2f}",
            "Interval": limits_text(entry),
            "Against": entry.reference,
            "Verdict": entry.verdict,
        }
        for title, entry in entries
    ]
    follows = {
        "Ratio": [Follows(entry, "two digits", "value") for _, entry in entries],
        "Interval": [Follows(entry, "ratio limits") for _, entry in entries],
        "Against": [Follows(entry, "text", "reference") for _, entry in entries],
        "Verdict": [Follows(entry, "text", "verdict") for _, entry in entries],
    }
    return Table("Selection rate against the highest group's (four-fifths rule)", pd.DataFrame(rows), follows=follows)


def _calibrated(compared: Compared) -> Table:
    bins = [
        (title, group, one)
        for title, comparison in compared.items()
        for group in comparison.groups
        for one in (group.calibration.bins if group.calibration else ())
    ]
    rows = [
        {
            "Group": group.label,
            "Method": title,
            "Scores": f"{one.low:.1f} to {one.high:.1f}",
            "Mean score": f"{one.mean_score:.2f}",
            "Have the outcome": _rate_text(one.observed),
            "People": f"{one.observed.n:,}",
        }
        for title, group, one in bins
    ]
    follows = {
        "Mean score": [Follows(one, "two digits", "mean_score") for _, _, one in bins],
        "Have the outcome": [Follows(one.observed, "rate") for _, _, one in bins],
        "People": [Follows(one.observed, "count", "n") for _, _, one in bins],
    }
    columns = ["Group", "Method", "Scores", "Mean score", "Have the outcome", "People"]
    return Table("Does a score mean the same in each group?", pd.DataFrame(rows, columns=columns), follows=follows)


def _law(result: AuditResult) -> Iterator[Block]:
    laws = {one.title: one.decisions.local_law_144 for one in _shown(result) if one.decisions is not None}
    if not any(laws.values()):
        yield Words("The law's tables are by sex and race/ethnicity; no attribute of this audit has such a name.")
        return
    yield Words(
        "Impact ratios as the city's rule defines them (6 RCNY § 5-300): a category's selection rate divided by the "
        "highest. The table is what the law wants published, whatever the size of a category; whether its numbers "
        "could be chance is said above. A published audit needs an independent auditor and real applicants."
    )
    for title, law in laws.items():
        for table in () if law is None else law.tables:
            caption = f"{title}: impact by {' and '.join(table.attributes)}"
            frame = decision_words.impact_table(table)
            yield Table(caption, frame, table.note, _impact_sources(table, frame))
    if missing := missing_in_law(result):
        yield Words(f"The law also asks for {listed(missing)}; this audit does not have it.")


def _impact_sources(table: ImpactTable, frame: pd.DataFrame) -> Sources:
    """Where the cells of `decision_words.impact_table` come from, by its columns."""
    _, applicants, chosen, rate, ratio, small = map(str, frame.columns)
    ways = {
        applicants: ("count", "applicants"),
        chosen: ("count", "selected"),
        rate: ("percent", "rate"),
        ratio: ("two digits", "impact_ratio"),
        small: ("yes or empty", "small"),
    }
    return {name: [Follows(row, *way) for row in table.categories] for name, way in ways.items()}

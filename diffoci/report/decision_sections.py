"""Decisions in the report: rates by group and intersection, gaps, four fifths, calibration, Local Law 144."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from diffoci.audit.intervals import Rate
from diffoci.figures import decision_words, decisions
from diffoci.figures.decisions import RATES, Compared
from diffoci.figures.reading import SHORT, Result
from diffoci.figures.words import listed
from diffoci.report.blocks import NOTHING, Block, Heading, Picture, Points, Section, Table, Words
from diffoci.report.stored_decisions import missing_in_law, stored_comparisons, stored_impact_tables
from diffoci.report.summary import chosen_method, first_method

MOST_GROUPS = 12


def sections(result: Result) -> Iterator[Section]:
    """Whom decisions would favour, and the city's tables."""
    deciding = [one for one in result["methods"] if one["decisions"].get("by")]
    if not deciding:
        why = "the label has more than two classes" if len(result["label"]["classes"]) != 2 else "no method finished"
        yield Section("Decisions by group", (Words(f"No decisions were measured: {why}."),))
        return
    yield Section("Decisions by group and intersection", tuple(_decisions(result)))
    yield Section("Local Law 144 (New York City)", tuple(_law(result)))


def _shown(result: Result) -> list[str]:
    return list(dict.fromkeys([first_method(result), chosen_method(result)]))


def _decisions(result: Result) -> Iterator[Block]:
    by_name = {one["name"]: one for one in result["methods"]}
    found = {name: stored_comparisons(one) for name, one in by_name.items()}
    first = by_name[first_method(result)]["decisions"]
    selected, minimum = result["label"]["classes"][1], first["settings"]["minimum"]
    yield Words(
        f"A classifier predicts “{selected}”; selected is whose score is at least {first['threshold']}. Every person "
        f"tested in some split counts once: {first['people']:,} people. Groups of fewer than {minimum} are listed, not "
        "judged. Intervals are at 95 %; chance is what groups of the same sizes give when their labels are shuffled."
    )
    for k, comparison in enumerate(found[first_method(result)]):
        yield Heading(f"By {' × '.join(comparison.attributes)}")
        compared = {by_name[name]["title"]: found[name][k] for name in _shown(result)}
        yield from _compared(compared)
        everyone = {SHORT.get(name, name): ones[k] for name, ones in found.items()}
        yield Table("Gap in being selected, every method", _selection_gaps(everyone))


def _compared(compared: Compared) -> Iterator[Block]:
    groups = next(iter(compared.values())).groups
    judged, small = [g for g in groups if g.judged], [f"{g.label}: {g.note}" for g in groups if not g.judged]
    rates, ratios = Table("Rates of every group", rate_frame(compared)), _ratio_frame(compared)
    if judged:
        drawable = len(judged) <= MOST_GROUPS
        yield Picture(decisions.rates(compared), rates) if drawable else rates
        if len(judged) > 1:
            yield Table("Largest gaps between groups, in points, and smallest ratios", decision_words.gaps(compared))
            table = Table("Selection rate against the highest group's (four-fifths rule)", ratios)
            if len(ratios):
                yield Picture(decisions.four_fifths(compared), table) if drawable else table
            else:
                yield Words("Nobody was selected, so there is no four-fifths ratio.")
        else:
            yield Words(f"Only {judged[0].label} has enough people to be judged, so there is no group to compare with.")
        scores = Table("Does a score mean the same in each group?", _calibration_frame(compared))
        yield Picture(decisions.calibration(compared), scores) if len(judged) <= 8 else scores
    else:
        yield rates
    if small:
        yield Words("Too few people to judge:")
        yield Points(tuple(small))


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


def _rate_text(rate: Rate | None) -> str:
    return NOTHING if rate is None else f"{100 * rate.value:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f} %)"


def _selection_gaps(compared: Compared) -> pd.DataFrame:
    frame = decision_words.gaps(compared)
    return frame[frame["Measure"] == frame["Measure"].iloc[0]].drop(columns="Measure").reset_index(drop=True)


def _ratio_frame(compared: Compared) -> pd.DataFrame:
    rows = [
        {
            "Group": entry.label,
            "Method": title,
            "Ratio": f"{entry.ratio.value:.2f}",
            "Interval": f"{entry.ratio.low:.2f} to {entry.ratio.high:.2f}",
            "Against": entry.reference,
            "Verdict": entry.verdict,
        }
        for title, comparison in compared.items()
        for entry in comparison.four_fifths
    ]
    return pd.DataFrame(rows)


def _calibration_frame(compared: Compared) -> pd.DataFrame:
    rows = []
    for title, comparison in compared.items():
        for group in comparison.groups:
            for one in group.calibration.bins if group.calibration else ():
                row = {"Group": group.label, "Method": title, "Scores": f"{one.low:.1f} to {one.high:.1f}"}
                row["Mean score"] = f"{one.mean_score:.2f}"
                row["Have the outcome"] = f"{_rate_text(one.observed)}"
                row["People"] = f"{one.observed.n:,}"
                rows.append(row)
    return pd.DataFrame(rows, columns=["Group", "Method", "Scores", "Mean score", "Have the outcome", "People"])


def _law(result: Result) -> Iterator[Block]:
    shown = [one for one in result["methods"] if one["name"] in _shown(result)]
    if not any(stored_impact_tables(one) for one in shown):
        yield Words("The law's tables are by sex and race/ethnicity; no attribute of this audit is called so.")
        return
    yield Words(
        "Impact ratios as the city's rule defines them (6 RCNY § 5-300): a category's selection rate divided by the "
        "highest. The table is what the law wants published, whatever the size of a category; whether its numbers "
        "could be chance is said above. A published audit needs an independent auditor and real applicants."
    )
    for one in shown:
        for table in stored_impact_tables(one):
            caption = f"{one['title']}: impact by {' and '.join(table.attributes)}"
            yield Table(caption, decision_words.impact_table(table), table.note)
    missing = missing_in_law(shown[0])
    if missing:
        yield Words(f"The law also asks for {listed(missing)}; this audit does not have it.")

"""Decisions in words and tables: the gaps between groups, the city's impact ratios, the page's answer."""

from __future__ import annotations

import pandas as pd

from diffoci.audit.decisions.decide import GroupComparison
from diffoci.audit.decisions.four_fifths import TOO_FEW
from diffoci.audit.decisions.local_law_144 import ImpactTable
from diffoci.audit.findings import NO_CHOICE, SELECTED, selected
from diffoci.audit.result import Decided, Label
from diffoci.audit.words import sentence_case
from diffoci.figures.decisions.rates import Compared, by_words

WHOSE = "These are decisions of a classifier trained here, not of your own model."
EMPTY = 0.5  # a slack from which on a bound says nothing
GAPS = {
    SELECTED: "Gap in being predicted yes",
    "true_positive_rate_difference": "Gap among those with the outcome",
    "false_positive_rate_difference": "Gap among those without the outcome",
    "equalized_odds_difference": "The larger of these two gaps",
    "demographic_parity_ratio": "Ratio of being predicted yes",
    "equalized_odds_ratio": "The smaller ratio with or without the outcome",
}
_AMONG = {
    "true_positive_rate_difference": "with the outcome",
    "false_positive_rate_difference": "without the outcome",
}


def any_threshold(decided: Decided | None, attribute: str) -> str:
    """The gap that no threshold on the score exceeds, between the two groups where it may be largest."""
    bounds = () if decided is None else decided.any_threshold.get(attribute, ())
    if decided is None or not bounds:
        return ""
    worst = max(bounds, key=lambda bound: bound.most)
    between = " and ".join(worst.groups)
    sure = f"{100 * decided.settings.confidence:g} % confidence"
    all_hold = f" for {len(bounds)} comparisons" if len(bounds) > 1 else ""
    if worst.slack >= EMPTY:
        return f"Too few people to bound the gap of every threshold by {attribute}: {between} ({sum(worst.people):,})."
    return (
        f"No threshold on this score gives a gap by {attribute} above {100 * worst.most:.1f} points ({between}; "
        f"the largest found is {100 * worst.found:.1f}, at {worst.threshold:.2f}; {sure}{all_hold}, "
        f"{sum(worst.people):,} people of the first repetition)."
    )


def gaps(compared: Compared) -> pd.DataFrame:
    """The worst gap and ratio between groups, with intervals, beside what shuffled groups give.

    Gaps are in points, the highest rate less the lowest; ratios are the lowest over the highest, 1 where all are alike.
    A method that selected everybody or nobody has neither.
    """
    rows = []
    for name, words in GAPS.items():
        for title, comparison in compared.items():
            found = comparison.between[name]
            row = {
                "Measure": words,
                "Method": title,
                "Value": str(TOO_FEW),
                "Interval": "",
                "Between": "",
                "Chance": "",
            }
            if (answer := selected(comparison)) in NO_CHOICE:
                row["Value"] = str(answer).replace("selected", "predicted yes")
            elif found.found is not None and found.chance is not None:
                gap, scale, digits = found.found, *((1, 2) if name.endswith("_ratio") else (100, 1))
                unit = "" if scale == 1 else " points"
                row["Value"] = f"{scale * gap.value:.{digits}f}{unit}"
                row["Interval"] = f"{scale * gap.low:.{digits}f} to {scale * gap.high:.{digits}f}"
                row["Between"] = f"{found.highest} over {found.lowest}" if found.highest != found.lowest else ""
                row["Chance"] = f"{'down' if scale == 1 else 'up'} to {scale * found.chance.limit:.{digits}f}"
            rows.append(row)
    return pd.DataFrame(rows)


def impact_table(table: ImpactTable, rate: str = "selection rate") -> pd.DataFrame:
    """Local Law 144's table as it is published, of selections or of scores above the median ("scoring rate")."""
    return pd.DataFrame(
        {
            "Category": [row.category for row in table.categories],
            "Applicants": [row.applicants for row in table.categories],
            "Selected" if rate == "selection rate" else "Above the median": [row.selected for row in table.categories],
            sentence_case(rate): [f"{100 * row.rate:.1f} %" for row in table.categories],
            "Impact ratio": [
                "–" if row.impact_ratio is None else f"{row.impact_ratio:.2f}" for row in table.categories
            ],
            "Under 2 %": ["yes" if row.small else "" for row in table.categories],
        }
    )


def chosen_from(compared: Compared) -> Compared:
    """The methods that selected some people and not others: of the rest no ratio is a verdict."""
    return {title: comparison for title, comparison in compared.items() if selected(comparison) not in NO_CHOICE}


def selected_words(label: Label) -> str:
    """Whose decisions these are, what it means to be selected, and what the outcome is."""
    return (
        f"{WHOSE} Predicted yes: people for whom it predicts “{label.classes[-1]}” ({label.name}). With the "
        "outcome: people who have it in the data."
    )


def headline(compared: Compared) -> str:
    """The answer of the page: the gap in being selected under the last method."""
    title, comparison = list(compared.items())[-1]
    gap, answer = comparison.between[SELECTED], selected(comparison)
    if answer in NO_CHOICE:
        who = "Everybody" if answer == "everybody selected" else "Nobody"
        return f"{who} in the groups by {by_words(compared)} is predicted yes, so there is no gap to judge ({title})"
    if gap.found is None or gap.chance is None:
        return f"Too few people to compare groups by {by_words(compared)}"
    size = f"{100 * gap.found.value:.1f} points"
    if answer == "within chance":
        limit = f"{100 * gap.chance.limit:.1f}"
        return (
            f"No gap in being predicted yes beyond chance: {size}, shuffled groups give up to {limit}"
            f"{_elsewhere(comparison)} ({title})"
        )
    return (
        f"“{gap.highest}” is predicted yes more often than “{gap.lowest}”: by {size} "
        f"(interval {100 * gap.found.low:.1f} to {100 * gap.found.high:.1f}; {title})"
    )


def _elsewhere(comparison: GroupComparison) -> str:
    """The larger gap beyond chance among people with and without the outcome, where there is one."""
    found = [(words, comparison.between[name]) for name, words in _AMONG.items()]
    beyond = [
        (100 * gap.value, 100 * gap.chance.limit, words)
        for words, gap in found
        if gap.value is not None and gap.chance is not None and gap.value > gap.chance.limit
    ]
    if not beyond:
        return ""
    value, limit, words = max(beyond)
    return f"; but among those {words} there is one of {value:.1f} points, where they give up to {limit:.1f}"

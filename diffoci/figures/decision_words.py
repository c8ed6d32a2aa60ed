"""Decisions in words and tables: the gaps between groups, the city's impact ratios, the page's answer."""

from __future__ import annotations

import pandas as pd

from diffoci.audit.four_fifths import TOO_FEW
from diffoci.audit.local_law_144 import ImpactTable
from diffoci.figures.decisions import Compared, by_words
from diffoci.figures.words import sentence_case

_GAPS = {
    "demographic_parity_difference": "Gap in being selected",
    "true_positive_rate_difference": "Gap among those with the outcome",
    "false_positive_rate_difference": "Gap among those without it",
    "equalized_odds_difference": "The larger of these two gaps",
}


def gaps(compared: Compared) -> pd.DataFrame:
    """The worst gap between groups in each rate, in points with its interval, beside what shuffled groups give."""
    rows = []
    for name, words in _GAPS.items():
        for title, comparison in compared.items():
            found = next(entry for entry in comparison.between if entry.name == name)
            row = {"Gap": words, "Method": title, "Points": TOO_FEW, "Interval": "", "Between": "", "Chance up to": ""}
            if found.found is not None and found.chance is not None:
                gap = found.found
                row["Points"] = f"{100 * gap.value:.1f}"
                row["Interval"] = f"{100 * gap.low:.1f} to {100 * gap.high:.1f}"
                row["Between"] = f"{found.highest} over {found.lowest}"
                row["Chance up to"] = f"{100 * found.chance.limit:.1f}"
            rows.append(row)
    return pd.DataFrame(rows)


def impact_table(table: ImpactTable) -> pd.DataFrame:
    """Local Law 144's table as it is published."""
    return pd.DataFrame(
        {
            "Category": [row.category for row in table.categories],
            "Applicants": [row.applicants for row in table.categories],
            "Selected": [row.selected for row in table.categories],
            "Selection rate": [f"{100 * row.rate:.1f} %" for row in table.categories],
            "Impact ratio": [
                "–" if row.impact_ratio is None else f"{row.impact_ratio:.2f}" for row in table.categories
            ],
            "Under 2 %": ["yes" if row.small else "" for row in table.categories],
        }
    )


def headline(compared: Compared) -> str:
    """The answer of the page: the gap in being selected under the last method."""
    title, comparison = list(compared.items())[-1]
    gap = next(entry for entry in comparison.between if entry.name == "demographic_parity_difference")
    if gap.found is None:
        return f"Too few people to compare groups by {by_words(compared)}"
    return sentence_case(
        f"{gap.highest} is selected {100 * gap.found.value:.1f} points more often than {gap.lowest} "
        f"(interval {100 * gap.found.low:.1f} to {100 * gap.found.high:.1f}; {title})"
    )


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"

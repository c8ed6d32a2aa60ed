"""Decisions in words and tables: the gaps between groups, the city's impact ratios, the page's answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    "demographic_parity_ratio": "Ratio of being selected",
    "equalized_odds_ratio": "The smaller ratio with or without the outcome",
}


def gaps(compared: Compared) -> pd.DataFrame:
    """The worst gap and ratio between groups, with intervals, beside what shuffled groups give.

    Gaps are in points, the highest rate less the lowest; ratios are the lowest over the highest, 1 where all are alike.
    """
    rows = []
    for name, words in _GAPS.items():
        for title, comparison in compared.items():
            found = next(entry for entry in comparison.between if entry.name == name)
            row = {"Measure": words, "Method": title, "Value": TOO_FEW, "Interval": "", "Between": "", "Chance": ""}
            if found.found is not None and found.chance is not None:
                gap, scale, digits = found.found, *((1, 2) if name.endswith("_ratio") else (100, 1))
                unit = "" if scale == 1 else " points"
                row["Value"] = f"{scale * gap.value:.{digits}f}{unit}"
                row["Interval"] = f"{scale * gap.low:.{digits}f} to {scale * gap.high:.{digits}f}"
                row["Between"] = f"{found.highest} over {found.lowest}"
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


def selected_words(label: Mapping[str, Any]) -> str:
    """What it means to be selected, and what the outcome is that others are compared by."""
    positive, name = label["classes"][-1], label["name"]
    return f"Selected: whose predicted label is “{positive}” ({name}). With the outcome: whose label in the data is."


def headline(compared: Compared) -> str:
    """The answer of the page: the gap in being selected under the last method."""
    title, comparison = list(compared.items())[-1]
    gap = next(entry for entry in comparison.between if entry.name == "demographic_parity_difference")
    if gap.found is None:
        return f"Too few people to compare groups by {by_words(compared)}"
    size = f"{100 * gap.found.value:.1f} points"
    if gap.chance is not None and gap.found.value <= gap.chance.limit:
        limit = f"{100 * gap.chance.limit:.1f}"
        return f"No gap in being selected beyond chance: {size}, shuffled groups give up to {limit} ({title})"
    return sentence_case(
        f"{gap.highest} is selected {size} more often than {gap.lowest} "
        f"(interval {100 * gap.found.low:.1f} to {100 * gap.found.high:.1f}; {title})"
    )

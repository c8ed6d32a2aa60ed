"""What a threshold decides: rates by group and four-fifths ratios, two methods side by side."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.decisions import GroupComparison
from diffoci.audit.decisions.four_fifths import FOUR_FIFTHS, GroupRatio
from diffoci.audit.decisions.group_rates import GroupRates
from diffoci.audit.decisions.intervals import Rate
from diffoci.figures._error_bars import error_bars
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, ORANGE, PURPLE, VERMILLION, beside, shortened, titled

RATES = {
    "selection_rate": "predicted yes",
    "true_positive_rate": "predicted yes, of those with the outcome",
    "false_positive_rate": "predicted yes, of those without the outcome",
    "positive_predictive_value": "with the outcome, of those predicted yes",
    "accuracy": "predicted correctly",
}
_ROW = 34  # pixels
# Of two methods, and of models that stand beside them.
_LOOKS = ((GREY, "square"), (BLUE, "circle"), (ORANGE, "diamond"), (PURPLE, "triangle-up"))
_LINE = {"color": VERMILLION, "dash": "dash", "width": 1.5}
_FURTHEST = 2.0  # that an arm of a ratio reaches in the picture
Compared = Mapping[str, GroupComparison]


def rates(compared: Compared) -> Drawing:
    """Rates by group, a block of rows each; each method has its own mark with the 95 % interval of each rate."""
    groups = _judged(compared)
    traces, rows = [], []
    for k, (title, comparison) in enumerate(compared.items()):
        by_label = {group.label: group for group in comparison.groups}
        for block, name in enumerate(RATES):
            known = [
                (_height(block, p, groups), by_label[group], found)
                for p, group in enumerate(groups)
                if group in by_label and (found := by_label[group].rates[name]) is not None
            ]
            traces.append({**_rate_marks(title, name, known, number=k, of=len(compared)), "showlegend": block == 0})
            rows += [
                {
                    "method": title,
                    "group": group.label,
                    "rate": name,
                    "value": found.value,
                    "low": found.low,
                    "high": found.high,
                    "n": found.n,
                }
                for _, group, found in known
            ]
    heading = titled(f"Rates by {by_words(compared)}\n{people_in(compared):,} test rows, 95 % intervals")
    figure = go.Figure(traces, {"title": heading, **_blocks(groups)})
    data = pd.DataFrame(rows, columns=["method", "group", "rate", "value", "low", "high", "n"])
    shown = data[data["rate"] == "selection_rate"]
    told = [f"{row['group']} {100 * row['value']:.1f} % ({row['method']})" for row in shown.to_dict("records")]
    return Drawing(
        figure, data, f"Predicted yes by {by_words(compared)}: {', '.join(told) or 'no group large enough'}."
    )


def _rate_marks(
    title: str, name: str, known: list[tuple[float, GroupRates, Rate]], *, number: int, of: int
) -> dict[str, Any]:
    """One method's marks of one rate, the first method's a little above the second's."""
    colour, marker = _LOOKS[number % len(_LOOKS)]
    return {
        "type": "scatter",
        "x": [found.value for _, _, found in known],
        "y": [height + _above(number, of, 0.64) for height, _, _ in known],
        "error_x": error_bars(((found.value, found.low, found.high) for _, _, found in known), color=colour),
        "mode": "markers",
        "marker": {"symbol": marker, "size": 11, "color": colour},
        "name": escape(title),
        "legendgroup": title,
        "hovertext": [
            f"<b>{escape(title)}</b>, {escape(group.label)}<br>{RATES[name]}: {100 * found.value:.1f} % "
            f"({100 * found.low:.1f} to {100 * found.high:.1f} %), {found.k:,} of {found.n:,}"
            for _, group, found in known
        ],
        "hoverinfo": "text",
    }


def _blocks(groups: list[str]) -> dict[str, Any]:
    """One axis with a block of groups for every rate, its words above it.

    A panel for each rate would be drawn twice as slowly, at every move of the threshold.
    """
    heights = [_height(block, p, groups) for block in range(len(RATES)) for p in range(len(groups))]
    return {
        "height": 150 + _ROW * (len(heights) + len(RATES)),
        "margin": {"t": 84, "l": beside(map(shortened, groups)), "b": 56},
        "xaxis": {"range": [-0.03, 1.03], "tickformat": ".0%", "nticks": 11, "automargin": False},
        "yaxis": {
            "tickvals": heights,
            "ticktext": [escape(shortened(group)) for group in groups] * len(RATES),
            "range": [_height(len(RATES) - 1, 0, groups) - 0.6, _height(0, len(groups), groups) + 0.6],
            "automargin": False,
        },
        "annotations": [
            {
                "text": words,
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": _height(block, len(groups) - 0.1, groups),
                "yanchor": "middle",
                "font": {"size": 14},
            }
            for block, words in enumerate(RATES.values())
        ],
    }


def _height(block: int, position: float, groups: list[str]) -> float:
    """Where a group's row of a block lies; blocks run down from 0, groups up within them, words take a row."""
    return position - block * (len(groups) + 1)


def four_fifths(compared: Compared) -> Drawing:
    """Each group's selection rate against the highest, with the line at four fifths."""
    groups = _judged(compared)
    traces, rows = [], []
    for k, (title, comparison) in enumerate(compared.items()):
        entries = [entry for entry in comparison.four_fifths if entry.label in groups]
        traces.append(_ratio_marks(title, entries, groups, number=k, of=len(compared)))
        rows += [
            {"method": title, "group": e.label, "ratio": e.value, "low": e.low, "high": e.high,
             "reference": e.reference, "verdict": e.verdict}
            for e in entries
        ]  # fmt: skip
    line = {"type": "line", "x0": FOUR_FIFTHS, "x1": FOUR_FIFTHS, "y0": 0, "y1": 1, "yref": "paper", "line": _LINE}
    words = {"text": "four fifths", "x": FOUR_FIFTHS, "y": 1, "yref": "paper", "yanchor": "bottom"}
    figure = go.Figure(
        traces,
        {
            "title": titled(
                f"Four-fifths ratio by {by_words(compared)}\n{people_in(compared):,} test rows, 95 % intervals for all "
                "groups at once"
            ),
            "height": 190 + 46 * max(len(groups), 2),
            "margin": {"t": 84, "l": beside(map(shortened, groups)), "b": 76},
            "xaxis": {
                "title": {"text": "selection rate divided by the highest group's"},
                "rangemode": "tozero",
                "automargin": False,
            },
            "yaxis": _group_axis(groups),
            "shapes": [line],
            "annotations": [words],
        },
    )
    columns = ["method", "group", "ratio", "low", "high", "reference", "verdict"]
    told = "; ".join(f"{row['group']} {row['ratio']:.2f}, {row['verdict']} ({row['method']})" for row in rows)
    return Drawing(
        figure, pd.DataFrame(rows, columns=columns), f"Four-fifths ratios: {told or 'nobody predicted yes'}."
    )


def _above(number: int, of: int, room: float) -> float:
    """How far above the middle of its row one of several methods is drawn.

    >>> _above(0, 2, 0.64), _above(1, 2, 0.64)
    (0.16, -0.16)
    """
    return room * (0.5 - (number + 0.5) / max(of, 2))


def _ratio_marks(title: str, entries: list[GroupRatio], groups: list[str], *, number: int, of: int) -> dict[str, Any]:
    colour, marker = _LOOKS[number % len(_LOOKS)]
    limits = ((e.value, e.low, _FURTHEST if e.high is None else min(e.high, _FURTHEST)) for e in entries)
    return {
        "type": "scatter",
        "x": [entry.value for entry in entries],
        "y": [groups.index(entry.label) + _above(number, of, 0.52) for entry in entries],
        "error_x": error_bars(limits, color=colour),
        "mode": "markers",
        "marker": {"symbol": marker, "size": 11, "color": colour},
        "name": escape(title),
        "hovertext": [
            f"<b>{escape(title)}</b><br>{escape(entry.label)} is predicted yes {entry.value:.2f} times as often as "
            f"{escape(entry.reference)} ({limits_text(entry)}): {entry.verdict}"
            for entry in entries
        ],
        "hoverinfo": "text",
    }


def _group_axis(groups: list[str]) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(groups))),
        "ticktext": [escape(shortened(group)) for group in groups],
        "range": [-0.6, len(groups) - 0.4],
        "automargin": False,
    }


def _judged(compared: Compared) -> list[str]:
    """The groups large enough to be judged, from below."""
    return [group.label for group in next(iter(compared.values())).groups if group.judged][::-1]


def limits_text(entry: GroupRatio) -> str:
    """The interval of a ratio; few people may leave it without an upper end."""
    return f"{entry.low:.2f} and more" if entry.high is None else f"{entry.low:.2f} to {entry.high:.2f}"


def people_in(compared: Compared) -> int:
    """How many people were tested."""
    return sum(group.n for group in next(iter(compared.values())).groups)


def by_words(compared: Compared) -> str:
    """What people are grouped by."""
    return escape(" × ".join(next(iter(compared.values())).attributes))

"""What a threshold decides: rates by group, four-fifths ratios and calibration, two methods side by side."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from textwrap import wrap
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from diffoci.audit.decisions import GroupComparison
from diffoci.audit.four_fifths import FOUR_FIFTHS
from diffoci.audit.group_rates import GroupRates
from diffoci.audit.reliability import Reliability
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, GROUP_COLOURS, GROUP_MARKERS, VERMILLION, beside, shortened, titled

RATES = {
    "selection_rate": "selected",
    "true_positive_rate": "selected, of those with the outcome",
    "false_positive_rate": "selected, of those without it",
    "positive_predictive_value": "with the outcome, of those selected",
    "accuracy": "decided rightly",
}
_ROW = 34  # pixels
MOST_LINES = 8  # groups that colours and markers tell apart
_PANEL_LETTERS = 20  # of a panel's heading before it is broken: two panels share a telephone's width
_LOOKS = ((GREY, "square"), (BLUE, "circle"))
_LINE = {"color": VERMILLION, "dash": "dash", "width": 1.5}
Compared = Mapping[str, GroupComparison]


def rates(compared: Compared) -> Drawing:
    """Rates by group, a block of rows each; each method has its own mark with the 95 % interval of each rate."""
    groups = [group.label for group in next(iter(compared.values())).groups if group.judged][::-1]
    traces, rows = [], []
    for k, (title, comparison) in enumerate(compared.items()):
        colour, marker = _LOOKS[k % 2]
        by_label = {group.label: group for group in comparison.groups}
        for block, (name, words) in enumerate(RATES.items()):
            known = [
                (p, by_label[group], found)
                for p, group in enumerate(groups)
                if (found := by_label[group].rates[name]) is not None
            ]
            traces.append(
                {
                    "type": "scatter",
                    "x": [found.value for _, _, found in known],
                    "y": [_place(block, p, groups) + (0.16 if k == 0 else -0.16) for p, _, _ in known],
                    "error_x": {
                        "type": "data",
                        "symmetric": False,
                        "array": [found.high - found.value for _, _, found in known],
                        "arrayminus": [found.value - found.low for _, _, found in known],
                        "color": colour,
                    },
                    "mode": "markers",
                    "marker": {"symbol": marker, "size": 11, "color": colour},
                    "name": escape(title),
                    "legendgroup": title,
                    "showlegend": block == 0,
                    "hovertext": [
                        f"<b>{escape(title)}</b>, {escape(group.label)}<br>{words}: {100 * found.value:.1f} % "
                        f"({100 * found.low:.1f} to {100 * found.high:.1f} %), {found.k:,} of {found.n:,}"
                        for _, group, found in known
                    ],
                    "hoverinfo": "text",
                }
            )
            rows += [
                {
                    "method": title,
                    "group": g.label,
                    "rate": name,
                    "value": f.value,
                    "low": f.low,
                    "high": f.high,
                    "n": f.n,
                }
                for _, g, f in known
            ]
    people = _people(compared)
    heading = titled(f"Rates by {by_words(compared)}\n{people:,} test rows, 95 % intervals")
    figure = go.Figure(traces, {"title": heading, **_blocks(groups)})
    data = pd.DataFrame(rows, columns=["method", "group", "rate", "value", "low", "high", "n"])
    shown = data[data["rate"] == "selection_rate"]
    told = [f"{row['group']} {100 * row['value']:.1f} % ({row['method']})" for row in shown.to_dict("records")]
    return Drawing(figure, data, f"Selected by {by_words(compared)}: {', '.join(told) or 'no group large enough'}.")


def _blocks(groups: list[str]) -> dict[str, Any]:
    """One axis with a block of groups for every rate, its words above it.

    A panel for each rate would be drawn twice as slowly, at every move of the threshold.
    """
    places = [_place(block, p, groups) for block in range(len(RATES)) for p in range(len(groups))]
    return {
        "height": 150 + _ROW * (len(places) + len(RATES)),
        "margin": {"t": 84, "l": beside(map(shortened, groups)), "b": 56},
        "xaxis": {"range": [-0.03, 1.03], "tickformat": ".0%", "nticks": 11, "automargin": False},
        "yaxis": {
            "tickvals": places,
            "ticktext": [escape(shortened(group)) for group in groups] * len(RATES),
            "range": [_place(len(RATES) - 1, 0, groups) - 0.6, _place(0, len(groups), groups) + 0.6],
            "automargin": False,
        },
        "annotations": [
            {
                "text": words,
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": _place(block, len(groups) - 0.1, groups),
                "yanchor": "middle",
                "font": {"size": 14},
            }
            for block, words in enumerate(RATES.values())
        ],
    }


def _place(block: int, position: float, groups: list[str]) -> float:
    """Where a group's row of a block lies; blocks run down from 0, groups up within them, words take a row."""
    return position - block * (len(groups) + 1)


def _people(compared: Compared) -> int:
    return sum(group.n for group in next(iter(compared.values())).groups)


def _group_axis(groups: list[str]) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(groups))),
        "ticktext": [escape(shortened(group)) for group in groups],
        "range": [-0.6, len(groups) - 0.4],
        "automargin": False,
    }


def four_fifths(compared: Compared) -> Drawing:
    """Each group's selection rate against the highest, with the line at four fifths."""
    traces, rows = [], []
    groups = [group.label for group in next(iter(compared.values())).groups if group.judged][::-1]
    for k, (title, comparison) in enumerate(compared.items()):
        colour, marker = _LOOKS[k % 2]
        entries = [entry for entry in comparison.four_fifths if entry.label in groups]
        traces.append(
            {
                "type": "scatter",
                "x": [entry.ratio.value for entry in entries],
                "y": [groups.index(entry.label) + (0.13 if k == 0 else -0.13) for entry in entries],
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [min(entry.ratio.high, 2.0) - entry.ratio.value for entry in entries],
                    "arrayminus": [entry.ratio.value - entry.ratio.low for entry in entries],
                    "color": colour,
                },
                "mode": "markers",
                "marker": {"symbol": marker, "size": 11, "color": colour},
                "name": escape(title),
                "hovertext": [
                    f"<b>{escape(title)}</b><br>{escape(e.label)} is selected {e.ratio.value:.2f} times as often as "
                    f"{escape(e.reference)} ({e.ratio.low:.2f} to {e.ratio.high:.2f}): {e.verdict}"
                    for e in entries
                ],
                "hoverinfo": "text",
            }
        )
        rows += [
            {"method": title, "group": e.label, "ratio": e.ratio.value, "low": e.ratio.low, "high": e.ratio.high,
             "reference": e.reference, "verdict": e.verdict}
            for e in entries
        ]  # fmt: skip
    line = {"type": "line", "x0": FOUR_FIFTHS, "x1": FOUR_FIFTHS, "y0": 0, "y1": 1, "yref": "paper", "line": _LINE}
    words = {"text": "four fifths", "x": FOUR_FIFTHS, "y": 1, "yref": "paper", "yanchor": "bottom"}
    figure = go.Figure(
        traces,
        {
            "title": titled(
                f"Four-fifths ratio by {by_words(compared)}\n{_people(compared):,} test rows, 95 % intervals for all "
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
    return Drawing(figure, pd.DataFrame(rows, columns=columns), f"Four-fifths ratios: {told or 'nobody was selected'}.")


def calibration(compared: Compared) -> Drawing:
    """Among people given a score, how many have the outcome: one panel a method, one line a group."""
    figure = make_subplots(
        1,
        len(compared),
        shared_yaxes=True,
        subplot_titles=["<br>".join(map(escape, wrap(t, _PANEL_LETTERS))) for t in compared],
    )
    rows = []
    for panel, (title, comparison) in enumerate(compared.items(), start=1):
        figure.add_scatter(
            x=[0, 1], y=[0, 1], mode="lines", line={"color": GREY, "dash": "dash"}, name="perfectly calibrated",
            showlegend=panel == 1, hoverinfo="skip", row=1, col=panel,
        )  # fmt: skip
        for k, (group, calibrated) in enumerate(_largest(comparison)):
            bins = calibrated.bins
            figure.add_scatter(
                x=[one.mean_score for one in bins],
                y=[one.observed.value for one in bins],
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [one.observed.high - one.observed.value for one in bins],
                    "arrayminus": [one.observed.value - one.observed.low for one in bins],
                    "thickness": 1,
                },
                mode="lines+markers",
                line={"color": GROUP_COLOURS[k % 8]},
                marker={"symbol": GROUP_MARKERS[k % 8], "size": 8, "color": GROUP_COLOURS[k % 8]},
                name=escape(group.label),
                legendgroup=group.label,
                showlegend=panel == 1,
                hovertext=[
                    f"<b>{escape(group.label)}</b>, score about {one.mean_score:.2f}<br>"
                    f"{100 * one.observed.value:.0f} % have the outcome ({one.observed.k} of {one.observed.n})"
                    for one in bins
                ],
                hoverinfo="text",
                row=1,
                col=panel,
            )
            rows += [
                {
                    "method": title,
                    "group": group.label,
                    "score": b.mean_score,
                    "observed": b.observed.value,
                    "n": b.observed.n,
                }
                for b in bins
            ]
    figure.update_xaxes(title_text="score", range=[-0.02, 1.02])
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%")
    figure.update_yaxes(title_text="have the outcome", col=1)
    people = _people(compared)
    judged = sum(group.calibration is not None for group in next(iter(compared.values())).groups)
    note = f"; the {MOST_LINES} largest of {judged} groups" if judged > MOST_LINES else ""
    figure.update_layout(
        title=titled(f"Does a score mean the same in each group?\n{people:,} test rows, ten bins{note}"),
        height=440,
        margin={"t": 92},
    )
    errors = [
        f"{group.label} {100 * group.calibration.expected_calibration_error:.1f} points ({title})"
        for title, comparison in compared.items()
        for group in comparison.groups
        if group.calibration
    ]
    data = pd.DataFrame(rows, columns=["method", "group", "score", "observed", "n"])
    return Drawing(figure, data, f"Mean distance from perfect calibration: {', '.join(errors)}.")


def _largest(comparison: GroupComparison) -> list[tuple[GroupRates, Reliability]]:
    """The groups whose scores can be judged, no more than there are colours and markers."""
    judged = [(group, group.calibration) for group in comparison.groups if group.calibration is not None]
    drawn = {group.label for group, _ in sorted(judged, key=lambda one: -one[0].n)[:MOST_LINES]}
    return [one for one in judged if one[0].label in drawn]


def by_words(compared: Compared) -> str:
    """What people are grouped by."""
    return escape(" × ".join(next(iter(compared.values())).attributes))

"""Calibration: among people given a score, how many have the outcome, group by group, two methods side by side."""

from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import Any

import pandas as pd
from plotly.subplots import make_subplots

from diffoci.audit.decisions import GroupComparison
from diffoci.audit.decisions.group_rates import GroupRates
from diffoci.audit.decisions.reliability import Reliability
from diffoci.figures._error_bars import error_bars
from diffoci.figures.decisions.rates import Compared, people_in
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import GREY, GROUP_COLOURS, GROUP_MARKERS, titled

MOST_LINES = 8  # groups that colours and markers tell apart
_PANEL_LETTERS = 20  # of a panel's heading before it is broken: two panels share a telephone's width


def calibration(compared: Compared) -> Drawing:
    """One panel a method, one line a group."""
    figure = make_subplots(
        1,
        len(compared),
        shared_yaxes=True,
        subplot_titles=["<br>".join(map(escape, wrap(title, _PANEL_LETTERS))) for title in compared],
    )
    for panel, comparison in enumerate(compared.values(), start=1):
        figure.add_scatter(
            x=[0, 1], y=[0, 1], mode="lines", line={"color": GREY, "dash": "dash"}, name="perfectly calibrated",
            showlegend=panel == 1, hoverinfo="skip", row=1, col=panel,
        )  # fmt: skip
        for k, (group, calibrated) in enumerate(_largest(comparison)):
            figure.add_scatter(**_line(group.label, calibrated, k), showlegend=panel == 1, row=1, col=panel)
    figure.update_xaxes(title_text="score", range=[-0.02, 1.02])
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%")
    figure.update_yaxes(title_text="have the outcome", col=1)
    judged = sum(group.calibration is not None for group in next(iter(compared.values())).groups)
    note = f"; the {MOST_LINES} largest of {judged} groups" if judged > MOST_LINES else ""
    figure.update_layout(
        title=titled(f"Does a score mean the same in each group?\n{people_in(compared):,} test rows, ten bins{note}"),
        height=440,
        margin={"t": 92},
    )
    return Drawing(figure, _data(compared), f"Mean distance from perfect calibration: {', '.join(_errors(compared))}.")


def _line(label: str, calibrated: Reliability, number: int) -> dict[str, Any]:
    bins, colour = calibrated.bins, GROUP_COLOURS[number % 8]
    return {
        "x": [one.mean_score for one in bins],
        "y": [one.observed.value for one in bins],
        "error_y": error_bars(((one.observed.value, one.observed.low, one.observed.high) for one in bins), thickness=1),
        "mode": "lines+markers",
        "line": {"color": colour},
        "marker": {"symbol": GROUP_MARKERS[number % 8], "size": 8, "color": colour},
        "name": escape(label),
        "legendgroup": label,
        "hovertext": [
            f"<b>{escape(label)}</b>, score about {one.mean_score:.2f}<br>"
            f"{100 * one.observed.value:.0f} % have the outcome ({one.observed.k} of {one.observed.n})"
            for one in bins
        ],
        "hoverinfo": "text",
    }


def _largest(comparison: GroupComparison) -> list[tuple[GroupRates, Reliability]]:
    """The groups whose scores can be judged, no more than there are colours and markers."""
    judged = [(group, group.calibration) for group in comparison.groups if group.calibration is not None]
    drawn = {group.label for group, _ in sorted(judged, key=lambda one: -one[0].n)[:MOST_LINES]}
    return [one for one in judged if one[0].label in drawn]


def _data(compared: Compared) -> pd.DataFrame:
    rows = [
        (title, group.label, one.mean_score, one.observed.value, one.observed.n)
        for title, comparison in compared.items()
        for group, calibrated in _largest(comparison)
        for one in calibrated.bins
    ]
    return pd.DataFrame(rows, columns=["method", "group", "score", "observed", "n"])


def _errors(compared: Compared) -> list[str]:
    return [
        f"{group.label} {100 * group.calibration.expected_calibration_error:.1f} points ({title})"
        for title, comparison in compared.items()
        for group in comparison.groups
        if group.calibration
    ]

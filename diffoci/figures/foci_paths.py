"""FOCI's paths: which features it needs, in order, for y and for every sensitive attribute."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, ORANGE, shortened, titled
from diffoci.figures.words import listed

# Pixels: a step, what stands between two staircases, and what stands above and below all of them.
_STEP, _BETWEEN, _AROUND = 26, 44, 150


def paths(views: Mapping[str, Any]) -> Drawing:
    """FOCI's choices for y and for every attribute, a staircase each: what every further feature adds to T."""
    found = {target: path for target, path in views["paths"].items() if path["names"]}
    steps = [len(path["names"]) for path in found.values()] or [1]
    inner = sum(steps) * _STEP + (len(steps) - 1) * _BETWEEN
    figure = make_subplots(
        rows=len(steps),
        cols=1,
        shared_xaxes=True,
        row_heights=steps,
        vertical_spacing=_BETWEEN / inner if len(steps) > 1 else 0,
        subplot_titles=[f"for {escape(target)}" for target in found],
    )
    rows = []
    for k, (target, path) in enumerate(found.items(), start=1):
        figure.add_trace(_staircase(target, path), row=k, col=1)
        names = [escape(shortened(name)) for name in path["names"]]
        numbers = list(range(1, len(names) + 1))
        figure.update_yaxes(tickvals=numbers, ticktext=names, range=[len(names) + 0.6, 0.4], row=k, col=1)
        rows += [
            {"for": target, "step": n, "feature": name, "T": value}
            for n, name, value in zip(numbers, path["names"], path["T"], strict=True)
        ]
    highest = max((path["T"][-1] for path in found.values()), default=1.0)
    figure.update_xaxes(range=[0, 1.15 * highest])  # room for the number behind the last step
    figure.update_xaxes(title_text="T of all chosen so far, together", row=len(steps), col=1)
    figure.update_annotations(x=0, xanchor="left", yshift=4)
    figure.update_layout(
        title=titled(
            f"Which features FOCI needs, in order\n{views['rows']:,} rows; it stops by itself when nothing is gained"
        ),
        height=inner + _AROUND,
        margin={"t": 96},
        showlegend=False,
    )
    told = [f"for {target} {listed(path['names'][:4])}" for target, path in found.items()]
    return Drawing(
        figure,
        pd.DataFrame(rows, columns=["for", "step", "feature", "T"]),
        f"FOCI chose {'; '.join(told)}." if told else "FOCI chose no feature.",
    )


def _staircase(target: str, path: Mapping[str, Any]) -> go.Bar:
    reached = [0.0, *path["T"]]
    gained = [after - before for before, after in pairwise(reached)]
    return go.Bar(
        y=list(range(1, len(gained) + 1)),
        x=gained,
        base=reached[:-1],
        orientation="h",
        name=f"for {escape(target)}",
        marker={"color": BLUE if target == "y" else ORANGE},
        text=[f"{value:.2f}" for value in path["T"]],
        textposition="outside",
        cliponaxis=False,
        hovertext=[
            f"step {n}: + {escape(name)}, T = {value:.3f}"
            for n, (name, value) in enumerate(zip(path["names"], path["T"], strict=True), start=1)
        ],
        hoverinfo="text+name",
    )

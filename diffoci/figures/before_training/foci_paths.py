"""FOCI's paths: which features it needs, in order, for y and for every sensitive attribute."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from itertools import pairwise

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from diffoci.audit.result import Path
from diffoci.audit.words import listed
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, ORANGE, shortened, titled

# Pixels: a step, what stands between two staircases, and what stands above and below all of them.
_STEP, _BETWEEN, _AROUND = 26, 44, 150


def paths(chosen: Mapping[str, Path], *, rows: int) -> Drawing:
    """FOCI's choices for y and for every attribute, a staircase each: what every further feature adds to T."""
    found = {target: path for target, path in chosen.items() if path.names}
    steps = [len(path.names) for path in found.values()] or [1]
    inner = sum(steps) * _STEP + (len(steps) - 1) * _BETWEEN
    figure = make_subplots(
        rows=len(steps),
        cols=1,
        shared_xaxes=True,
        row_heights=steps,
        vertical_spacing=_BETWEEN / inner if len(steps) > 1 else 0,
        subplot_titles=[f"for {escape(_said(target))}" for target in found],
    )
    steps_taken = []
    for k, (target, path) in enumerate(found.items(), start=1):
        figure.add_trace(_staircase(target, path), row=k, col=1)
        names = [escape(shortened(name)) for name in path.names]
        numbers = list(range(1, len(names) + 1))
        figure.update_yaxes(tickvals=numbers, ticktext=names, range=[len(names) + 0.6, 0.4], row=k, col=1)
        steps_taken += [
            {"for": target, "step": n, "feature": name, "T": value}
            for n, name, value in zip(numbers, path.names, path.T, strict=True)
        ]
    highest = max((path.T[-1] for path in found.values()), default=1.0)
    figure.update_xaxes(range=[0, 1.15 * highest])  # room for the number behind the last step
    figure.update_xaxes(title_text="T of all chosen so far, together", row=len(steps), col=1)
    figure.update_annotations(x=0, xanchor="left", yshift=4)
    figure.update_layout(
        title=titled(
            f"Which features FOCI needs, in order\n{rows:,} rows; each step adds the one feature that gains most, so a "
            "pair that reveals only together may be missed"
        ),
        height=inner + _AROUND,
        margin={"t": 96},
        showlegend=False,
    )
    told = [f"for {_said(target)} {listed(path.names[:4])}" for target, path in found.items()]
    return Drawing(
        figure,
        pd.DataFrame(steps_taken, columns=["for", "step", "feature", "T"]),
        f"FOCI chose {'; '.join(told)}." if told else "FOCI chose no feature.",
    )


def _said(target: str) -> str:
    return "the outcome" if target == "y" else target


def _staircase(target: str, path: Path) -> go.Bar:
    reached = [0.0, *path.T]
    gained = [after - before for before, after in pairwise(reached)]
    return go.Bar(
        y=list(range(1, len(gained) + 1)),
        x=gained,
        base=reached[:-1],
        orientation="h",
        name=f"for {escape(_said(target))}",
        marker={"color": BLUE if target == "y" else ORANGE},
        text=[f"{value:.2f}" for value in path.T],
        textposition="outside",
        cliponaxis=False,
        hovertext=[
            f"step {n}: + {escape(name)}, T = {value:.3f}"
            for n, (name, value) in enumerate(zip(path.names, path.T, strict=True), start=1)
        ],
        hoverinfo="text+name",
    )

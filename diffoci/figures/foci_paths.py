"""FOCI's paths: which features it needs, in order, for y and for every sensitive attribute."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.labels import label_places
from diffoci.figures.template import BLUE, GREY, ORANGE, VERMILLION, titled
from diffoci.figures.words import listed


def paths(views: Mapping[str, Any]) -> Drawing:
    """FOCI's choices for y and for every attribute: what each further feature adds, as steps."""
    figure, rows = go.Figure(), []
    where = _path_labels(views["paths"])
    for k, (target, path) in enumerate(views["paths"].items()):
        colour = (BLUE, ORANGE, VERMILLION, GREY)[k % 4]
        steps = list(range(len(path["names"]) + 1))
        figure.add_scatter(
            x=steps,
            y=[0.0, *path["T"]],
            mode="lines+markers+text",
            line={"shape": "hv", "color": colour, "width": 2.5, "dash": ("solid", "dash", "dot", "dashdot")[k % 4]},
            marker={"size": 8, "symbol": ("circle", "square", "diamond", "triangle-up")[k % 4]},
            text=["", *(escape(name) for name in path["names"])],
            textposition=["top center", *where[target]],
            textfont={"size": 12},
            name=f"for {escape('y' if target == 'y' else target)}",
            hovertext=[
                "nothing chosen yet",
                *(f"step {n}: + {escape(name)}, T = {value:.3f}" for n, (name, value) in _numbered(path)),
            ],
            hoverinfo="text+name",
        )
        rows += [{"for": target, "step": n, "feature": name, "T": value} for n, (name, value) in _numbered(path)]
    figure.update_xaxes(title_text="features chosen", dtick=1)
    figure.update_yaxes(title_text="T of all chosen together", rangemode="tozero")
    figure.update_layout(
        title=titled(
            f"Which features FOCI needs, in order\n{views['rows']:,} rows; it stops by itself when nothing is gained"
        ),
        height=440,
    )
    told = [f"for {target} {listed(path['names'][:4])}" for target, path in views["paths"].items()]
    return Drawing(
        figure, pd.DataFrame(rows, columns=["for", "step", "feature", "T"]), f"FOCI chose {'; '.join(told)}."
    )


def _path_labels(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """Where the names along all paths are written, so that they do not cover each other."""
    steps = [(target, *step) for target, path in found.items() for step in _numbered(path)]
    if not steps:
        return {target: [] for target in found}
    longest, highest = max(n for _, n, _ in steps), max(value for _, _, (_, value) in steps)
    places = label_places(
        [n for _, n, _ in steps], [value for _, _, (_, value) in steps], [name for _, _, (name, _) in steps],
        x_range=(0, longest + 0.5), y_range=(0, 1.1 * highest), width=430, height=290,
    )  # fmt: skip
    return {target: [place for place, step in zip(places, steps, strict=True) if step[0] == target] for target in found}


def _numbered(path: Mapping[str, Any]) -> list[tuple[int, tuple[str, float]]]:
    return list(enumerate(zip(path["names"], path["T"], strict=True), start=1))

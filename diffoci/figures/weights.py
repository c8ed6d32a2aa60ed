"""Weights of features under one condition, repetition by repetition."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.dropping import Dropping
from diffoci.figures.drawing import Drawing
from diffoci.figures.features import titles
from diffoci.figures.template import BLUE, GREY, VERMILLION, beside, shortened, titled
from diffoci.inputs import Ints
from diffoci.plain_text import counted


def weights(found: Dropping, condition: int) -> Drawing:
    """A bar for the mean, a dot for each seed, the cutoff on both sides of 0."""
    theta, title = found.values[condition], titles(found)[condition]
    order: Ints = np.argsort(-np.abs(theta).mean(axis=0), kind="stable")
    names = [shortened(found.names[k]) for k in order]
    seeds = found.seed_numbers[condition]
    dots = [
        {
            "type": "scatter",
            "x": list(range(len(order))),
            "y": row[order],
            "mode": "markers",
            "marker": {"size": 7, "color": BLUE, "line": {"color": "white", "width": 1}},
            "name": f"repetition {seed + 1}",
            "hovertemplate": f"repetition {seed + 1}: θ = %{{y:.2f}}<extra></extra>",
        }
        for seed, row in zip(seeds, theta, strict=True)
    ]
    band = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": -found.cutoff, "y1": found.cutoff}
    figure = go.Figure(
        [_means(found, condition, order), *dots],
        {
            "title": titled(
                f"Weights θ {escape(title)}, {counted(len(theta), 'repetition')}\nhatched = dropped; band = cutoff"
            ),
            "height": 420,
            "margin": {"l": 64, "b": 10 + round(0.75 * beside(names))},
            "showlegend": False,
            "xaxis": {
                "tickvals": list(range(len(order))),
                "ticktext": list(map(escape, names)),
                "tickangle": -45,
                "automargin": False,
                "showgrid": False,
            },
            "yaxis": {"title": {"text": "θ"}, "automargin": False},
            "shapes": [{**band, "fillcolor": VERMILLION, "opacity": 0.15, "line": {"width": 0}, "layer": "below"}],
        },
    )
    data = pd.DataFrame(theta[:, order].T, columns=[f"seed {seed}" for seed in seeds])
    data.insert(0, "feature", [found.names[k] for k in order])
    return Drawing(figure, data, f"Weights of {len(names)} features {title}, repetition by repetition.")


def _means(found: Dropping, condition: int, order: Ints) -> dict[str, Any]:
    theta, gone = found.values[condition], found.dropped[condition]
    return {
        "type": "bar",
        "x": list(range(len(order))),
        "y": theta.mean(axis=0)[order],
        "marker": {
            "color": [GREY if gone[k] else BLUE for k in order],
            "opacity": 0.5,
            "pattern": {"shape": ["/" if gone[k] else "" for k in order]},
        },
        "name": "mean",
        "hovertext": [
            f"<b>{escape(found.names[k])}</b>: {escape(found.labels[k])}<br>mean θ {theta[:, k].mean():.2f}, "
            f"dropped in {found.count[condition, k]:.0f} of {counted(len(theta), 'repetition')}"
            for k in order
        ],
        "hoverinfo": "text",
    }

"""Figures of vec-dF1 in the feature lab: its weights by epoch and at the end, and the curves it chose."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, VERMILLION, titled
from diffoci.labs.feature_selection.result import LabResult, MethodOutcome

_CUTOFF = 0.1


def theta_paths(result: LabResult) -> tuple[Drawing, ...]:
    """Weights by epoch, of the first repetition of every selector that has them."""
    from diffoci.figures.training import thetas

    drawn = []
    for path in result.paths:
        history = [{"epoch": e, "theta": list(t)} for e, t in zip(path.epochs, path.theta, strict=True)]
        names = [result.features[k] for k in path.features]
        drawn.append(thetas(history, names, title=f"Weights by epoch: {path.method}, first repetition"))
    return tuple(drawn)


def sizes(result: LabResult, one: MethodOutcome) -> Drawing | None:
    """The size of every feature's weight at the end, of the first repetition; None where there are no weights."""
    theta = one.repetitions[0].theta
    if theta is None:
        return None
    size = np.abs(np.array(theta))
    kept = size > _CUTOFF
    figure = go.Figure(
        go.Bar(
            x=list(range(1, len(size) + 1)), y=size, marker={"color": [BLUE if one else GREY for one in kept]},
            customdata=[escape(name) for name in result.features], showlegend=False,
            hovertemplate="%{customdata}: %{y:.2f}<extra></extra>",
        )
    )  # fmt: skip
    figure.add_hline(y=_CUTOFF, line={"color": VERMILLION, "dash": "dot", "width": 1.5})
    figure.update_layout(
        title=titled("Size of the weights at the end\nblue: kept; the dotted line is the cutoff"), height=320
    )
    figure.update_xaxes(title_text="feature, in the order of the columns")
    figure.update_yaxes(title_text="|θ|", rangemode="tozero")
    frame = pd.DataFrame({"feature": result.features, "size": size, "kept": kept})
    return Drawing(figure, frame, f"Sizes of {len(size)} weights; {int(kept.sum())} are above the cutoff {_CUTOFF:g}.")


def curves(points: Sequence[float], made: np.ndarray, names: Sequence[str], chosen: Sequence[int]) -> Drawing:
    """The curves that features of the synthetic environment are made from, and which of them were chosen."""
    figure = go.Figure()
    for k, name in enumerate(names):
        picked = k in chosen
        figure.add_scatter(
            x=list(points), y=made[:, k], mode="lines", name=name.replace("-", "−"), showlegend=picked,
            line={"color": BLUE if picked else GREY, "width": 2.5 if picked else 0.7},
            opacity=1.0 if picked else 0.4, hovertemplate=f"{name}<extra></extra>",
        )  # fmt: skip
    figure.add_scatter(
        x=list(points), y=np.sin(points), mode="lines", name="y = sin x", line={"color": VERMILLION, "dash": "dash"}
    )
    figure.update_layout(
        title=titled("The 60 curves, without their noise\nblue: chosen by vec-dF1 in the first repetition"), height=420
    )
    figure.update_xaxes(title_text="x")
    said = ", ".join(names[k] for k in chosen) or "none"
    return Drawing(figure, pd.DataFrame(made, columns=list(names)), f"60 sine curves; chosen: {said}.")

"""Live charts of training: loss and T on train and validation by epoch, and theta by epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, ORANGE, VERMILLION

History = Sequence[Mapping[str, Any]]
HEIGHT, _LOSS_HEIGHT = 300, 120
_LOSSES = {"loss": ("loss, training rows", "solid"), "validation_loss": ("loss, validation rows", "dash")}
_LINES = {
    "T": ("T, training rows", BLUE, "solid"),
    "validation_T": ("T, validation rows", BLUE, "dash"),
    "leakage": ("T of the attribute, training rows", ORANGE, "solid"),
    "validation_leakage": ("T of the attribute, validation rows", ORANGE, "dash"),
}


def coefficients(history: History, *, title: str = "") -> Drawing:
    """T and loss by epoch on training (solid) and validation rows (dashed), the attribute's T where it was penalised.

    A method that tries several weights trains anew for each: the one it is at is drawn.
    """
    lines = _this_training([line for line in history if line.get("epoch") is not None])
    data = pd.DataFrame(lines, columns=["epoch", *_LINES, *_LOSSES])
    figure = go.Figure()
    for name, (words, colour, dash) in _LINES.items():
        if data[name].fillna(0.0).eq(0.0).all():
            continue
        figure.add_scatter(
            x=data["epoch"], y=data[name], mode="lines", name=words, line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate=f"epoch %{{x}}, {words}: %{{y:.3f}}<extra></extra>",
        )  # fmt: skip
    for name, (words, dash) in _LOSSES.items():
        if data[name].notna().any():
            figure.add_scatter(
                x=data["epoch"], y=data[name], mode="lines", name=words, yaxis="y2",
                line={"color": GREY, "dash": dash, "width": 2.5},
                hovertemplate=f"epoch %{{x}}, {words}: %{{y:.3f}}<extra></extra>",
            )  # fmt: skip
    figure.update_layout(
        title_text=escape(title) or "T and loss by epoch",
        height=HEIGHT + _LOSS_HEIGHT,
        uirevision="keep",
        xaxis={"title": {"text": "epoch"}, "anchor": "y2"},
        yaxis={"title": {"text": "T (0 nothing, 1 all)"}, "domain": [0.42, 1]},
        yaxis2={"title": {"text": "loss"}, "domain": [0, 0.28]},
    )
    last = data.dropna(subset=["T"]).tail(1)
    told = f" Last epoch {int(last['epoch'].iloc[0])}: {last['T'].iloc[0]:.3f} on training rows." if len(last) else ""
    return Drawing(figure, data, f"Loss, and T on training and validation rows, by epoch.{told}")


def _this_training(lines: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    restarts = [k for k in range(1, len(lines)) if lines[k]["epoch"] <= lines[k - 1]["epoch"]]
    return lines[restarts[-1] :] if restarts else lines


def thetas(history: History, names: Sequence[str] | None = None, *, cutoff: float = 0.1, title: str = "") -> Drawing:
    """The weight of every feature by epoch; those within the cutoff at the end are grey and dotted."""
    lines = [line for line in history if line.get("epoch") is not None and line.get("theta")]
    count = len(lines[-1]["theta"]) if lines else 0
    lines = [line for line in lines if len(line["theta"]) == count]  # of this training, whatever came before
    shown = list(names) if names is not None and len(names) == count else [f"feature {k + 1}" for k in range(count)]
    weights = np.array([line["theta"] for line in lines], dtype=np.float64).reshape(len(lines), count)
    epochs = [line["epoch"] for line in lines]
    figure = go.Figure()
    for k, name in enumerate(shown):
        gone = abs(weights[-1, k]) <= cutoff
        figure.add_scatter(
            x=epochs,
            y=weights[:, k],
            mode="lines" if len(lines) > 1 else "markers",  # one epoch is no line
            line={"color": GREY if gone else BLUE, "dash": "dot" if gone else "solid", "width": 1.5},
            name=escape(name),
            showlegend=False,
            hovertemplate=f"<b>{escape(name)}</b>, epoch %{{x}}: θ = %{{y:.2f}}<extra></extra>",
        )
    figure.add_hrect(y0=-cutoff, y1=cutoff, fillcolor=VERMILLION, opacity=0.15, line_width=0, layer="below")
    figure.update_xaxes(title_text="epoch")
    figure.update_yaxes(title_text="θ")
    figure.update_layout(
        title_text=escape(title) or f"θ of {count} features by epoch (dotted: dropped so far)",
        height=HEIGHT,
        uirevision="keep",
    )
    dropped = int((np.abs(weights[-1]) <= cutoff).sum()) if lines else 0
    # Put together so, because a feature may be called epoch, too.
    data = pd.concat([pd.DataFrame({"epoch": epochs}), pd.DataFrame(weights, columns=shown)], axis=1)
    return Drawing(
        figure, data, f"Weights of {count} features by epoch; {dropped} are within the cutoff {cutoff:g} now."
    )

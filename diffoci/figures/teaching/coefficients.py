"""Pictures to teach with: five clouds, the soft neighbour, T and its soft twin, and a probe that sees too little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from diffoci.audit.teaching.coefficients import Cloud, SoftCurve, SoftNeighbours
from diffoci.audit.teaching.objectives import coefficient_text
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, GROUP_COLOURS, GROUP_MARKERS, ORANGE, VERMILLION, titled


def clouds(found: Sequence[Cloud]) -> Drawing:
    """Clouds, each with what correlation, xi and T make of it."""
    text = coefficient_text
    titles = [f"<b>{one.name}</b><br>r {text(one.correlation)}<br>ξ {text(one.xi)}<br>T {text(one.T)}" for one in found]
    figure = make_subplots(1, len(found), subplot_titles=titles, horizontal_spacing=0.02)
    for k, one in enumerate(found, start=1):
        marker = {"size": 4, "color": BLUE, "opacity": 0.6}
        figure.add_scatter(
            x=one.x, y=one.y, mode="markers", marker=marker, showlegend=False, row=1, col=k, name=one.name,
            hovertemplate="x %{x:.2f}, y %{y:.2f}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(showticklabels=False, ticks="")
    figure.update_yaxes(showticklabels=False, ticks="")
    figure.update_annotations(font_size=13)
    title = f"Five clouds of {len(found[0].x):,} points: what r, ξ and T see"
    figure.update_layout(title_text=title, height=360, margin={"t": 130})
    told = ", ".join(f"{one.name} r {text(one.correlation)}, T {text(one.T)}" for one in found)
    rows = [{"cloud": one.name, "correlation": one.correlation, "xi": one.xi, "T": one.T} for one in found]
    return Drawing(figure, pd.DataFrame(rows), f"Five clouds: {told}.")


def neighbour_weights(found: SoftNeighbours) -> Drawing:
    """How much each other point counts as the neighbour of one point."""
    rows, share = len(found.position), 100 * found.weight[found.nearest]
    figure = go.Figure()
    figure.add_bar(
        x=found.position, y=found.weight, width=0.05, name="weight as neighbour",
        marker={"color": [VERMILLION if k == found.nearest else BLUE for k in range(rows)]},
        hovertemplate="at %{x:.2f}: counts %{y:.1%}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=found.position, y=np.zeros(rows), mode="markers", marker={"size": 8, "color": GREY}, name="points",
        hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=[found.position[found.point]], y=[0], mode="markers", marker={"size": 16, "symbol": "star", "color": ORANGE},
        name="the point that looks for a neighbour", hoverinfo="skip",
    )  # fmt: skip
    figure.update_yaxes(tickformat=".0%", title_text="share of the neighbour", range=[-0.04, 1.04])
    figure.update_xaxes(title_text="position on a line")
    title = f"β = {found.beta:g}: the nearest point counts {share:.0f} %"
    figure.update_layout(title=titled(f"{title}\n{rows} points; the nearest is red"), height=380)
    data = pd.DataFrame({"position": found.position, "weight": found.weight})
    return Drawing(figure, data, f"With beta {found.beta:g} the nearest neighbour counts {share:.0f} %.")


def soft_and_exact(found: SoftCurve) -> Drawing:
    """T with soft neighbours for growing beta, and the exact T it grows towards."""
    figure = go.Figure()
    figure.add_hline(
        y=found.exact, line={"color": ORANGE, "dash": "dash"}, annotation_text=f"exact T = {found.exact:.2f}",
        annotation_position="bottom right",
    )  # fmt: skip
    figure.add_scatter(
        x=found.betas, y=found.soft, mode="lines+markers", line={"color": BLUE}, name="soft T", showlegend=False,
        hovertemplate="β %{x:.3g}: %{y:.3f}<extra></extra>",
    )  # fmt: skip
    figure.add_vline(x=5, line={"color": GREY, "dash": "dot"})
    # On a logarithmic axis Plotly wants the logarithm for an annotation, and the value for everything else.
    figure.add_annotation(
        x=np.log10(5), y=0, yref="paper", text="β = 5, the paper's", xanchor="left", yanchor="bottom", showarrow=False
    )
    figure.update_xaxes(type="log", title_text="β (larger: a harder neighbour)")
    figure.update_yaxes(title_text="T with soft neighbours")
    figure.update_layout(
        title_text=f"T and its soft twin on the cloud “{found.name}” ({found.rows} points)", height=380
    )
    data = pd.DataFrame({"beta": found.betas, "soft_T": found.soft, "exact_T": found.exact})
    ends = f"from {found.soft[0]:.2f} to {found.soft[-1]:.2f}"
    return Drawing(figure, data, f"Soft T of {found.name} goes {ends}; exact T is {found.exact:.2f}.")


def pair_by_group(features: pd.DataFrame, group: pd.Series, x: str, y: str, *, most: int = 1500) -> Drawing:
    """Two features of known-truth data, the groups apart by colour and mark."""
    figure = go.Figure()
    for k, level in enumerate(sorted(group.astype(str).unique())):
        inside = (group.astype(str) == level).to_numpy().nonzero()[0][: most // 2]
        figure.add_scatter(
            x=features[x].to_numpy()[inside],
            y=features[y].to_numpy()[inside],
            mode="markers",
            marker={"size": 5, "opacity": 0.55, "color": GROUP_COLOURS[k], "symbol": GROUP_MARKERS[k]},
            name=f"group {level}",
            hovertemplate=f"group {level}: %{{x:.2f}}, %{{y:.2f}}<extra></extra>",
        )
    figure.update_xaxes(title_text=x)
    figure.update_yaxes(title_text=y)
    shown = min(len(features), most)
    title = titled(f"{x} and {y} by group\n{shown:,} of {len(features):,} rows shown")
    figure.update_layout(title=title, height=420)
    data = features[[x, y]].assign(group=group.astype(str).to_numpy()).head(most)
    return Drawing(figure, data, f"Two features, {x} and {y}, by group.")


def probe_bars(areas: Mapping[str, float]) -> Drawing:
    """AUC of several ways to guess the group, from 0.5 (chance) up."""
    names, values = list(areas), list(areas.values())
    figure = go.Figure()
    figure.add_scatter(
        x=values, y=names, mode="markers+text", text=[f"{value:.2f}" for value in values], textposition="middle right",
        marker={"size": 15, "symbol": ["x", "square", "diamond-open"][: len(names)],
                "color": [ORANGE, BLUE, GREY][: len(names)],
                "line": {"width": [0, 0, 2.5][: len(names)], "color": GREY}},
        cliponaxis=False, showlegend=False, hovertemplate="%{y}: AUC %{x:.2f}<extra></extra>",
    )  # fmt: skip
    figure.add_vline(x=0.5, line={"color": GREY, "dash": "dot"})
    figure.update_xaxes(range=[0.42, 1.14], title_text="how well the group can be guessed (AUC)")
    figure.update_xaxes(
        tickvals=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0], ticktext=["0.5<br>chance", "0.6", "0.7", "0.8", "0.9", "1"]
    )
    figure.update_layout(title_text="Who can guess the group?", height=300)
    told = ", ".join(f"{name} {value:.2f}" for name, value in areas.items())
    return Drawing(figure, pd.DataFrame({"probe": names, "auc": values}), f"AUC of guessing the group: {told}.")

"""Pictures to teach with: many weak columns, base rates, what is told given the group, what each objective prefers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.teaching.groups import BaseRates, ManyColumns
from diffoci.audit.teaching.objectives import OBJECTIVES, Candidate, coefficient_text, preferred
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, ORANGE, VERMILLION, titled

_COLOURS = (VERMILLION, BLUE, ORANGE)
_PATTERNS = ("", "/", "x")


def many_columns(found: ManyColumns) -> Drawing:
    """AUC of each column alone, and of more and more of them together."""
    numbers = np.arange(1, len(found.alone) + 1)
    figure = go.Figure()
    figure.add_scatter(
        x=numbers, y=found.possible, mode="lines", line={"color": GREY, "dash": "dash"}, name="best possible",
        hovertemplate="%{x} columns: at most %{y:.2f}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=numbers, y=found.together, mode="lines+markers", line={"color": BLUE}, name="all columns so far together",
        hovertemplate="%{x} columns: AUC %{y:.2f}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=numbers, y=found.alone, mode="markers", marker={"color": ORANGE, "symbol": "x", "size": 10},
        name="this column alone", hovertemplate="column %{x}: AUC %{y:.2f}<extra></extra>",
    )  # fmt: skip
    figure.add_hline(y=0.5, line={"color": GREY, "dash": "dot"})
    figure.update_xaxes(
        title_text="number of columns, the group's own column not among them", dtick=max(1, len(numbers) // 10)
    )
    figure.update_yaxes(title_text="how well the group can be guessed (AUC)", range=[0.42, 1.02])
    best, all_of_them = found.alone.max(), found.together[-1]
    title = titled(f"Best column alone {best:.2f}, all {len(numbers)} together {all_of_them:.2f}\n2,000 unseen rows")
    figure.update_layout(title=title, height=420)
    data = pd.DataFrame(
        {"columns": numbers, "alone": found.alone, "together": found.together, "possible": found.possible}
    )
    alt = f"AUC of guessing the group: best column alone {best:.2f}, all {len(numbers)} together {all_of_them:.2f}."
    return Drawing(figure, data, alt)


def base_rates(found: BaseRates, share: float) -> Drawing:
    """Accuracy, what naming the largest group gives, balanced accuracy and AUC, as that group grows."""
    lines = (
        ("accuracy of the guess", found.accuracy, BLUE, "circle", "solid"),
        ("always naming the largest group", found.largest, GREY, "line-ew", "dash"),
        ("balanced accuracy", found.balanced, VERMILLION, "diamond", "solid"),
        ("AUC", found.auc, ORANGE, "square", "solid"),
    )
    figure = go.Figure()
    for name, values, colour, marker, dash in lines:
        figure.add_scatter(
            x=found.shares, y=values, mode="lines+markers", name=name, line={"color": colour, "dash": dash},
            marker={"symbol": marker, "size": 8}, hovertemplate=f"{name}: %{{y:.3f}} at %{{x:.0%}}<extra></extra>",
        )  # fmt: skip
    k = found.at(share)
    figure.add_vline(x=float(found.shares[k]), line={"color": GREY, "dash": "dot"})
    figure.update_xaxes(title_text="share of the largest group", tickformat=".0%")
    figure.update_yaxes(title_text="score", range=[0.45, 1.02])
    gain = 100 * (found.accuracy[k] - found.largest[k])
    words = (
        f"At {found.shares[k]:.0%}: right for {found.accuracy[k]:.1%}, {gain:+.1f} points against naming the largest"
    )
    figure.update_layout(title=titled(f"{words}\nthe same trace at every share, 4,000 unseen rows"), height=420)
    data = pd.DataFrame(
        {
            "share": found.shares,
            "accuracy": found.accuracy,
            "largest": found.largest,
            "balanced_accuracy": found.balanced,
            "auc": found.auc,
        }
    )
    return Drawing(figure, data, f"{words}; AUC {found.auc[k]:.2f}.")


def told_given(found: Sequence[Candidate]) -> Drawing:
    """What each column tells of y, of y once the group is known, and of the group."""
    bars = (
        ("T(y, column)", [one.T_y for one in found]),
        ("T(y, column | group)", [one.T_y_given for one in found]),
        ("T(group, column)", [one.T_s for one in found]),
    )
    names = [one.name for one in found]
    figure = go.Figure()
    for k, (name, values) in enumerate(bars):
        figure.add_bar(
            x=names, y=values, name=name, text=[coefficient_text(value) for value in values], textposition="outside",
            marker={"color": (GREY, BLUE, VERMILLION)[k], "pattern": {"shape": _PATTERNS[k]}},
            hovertemplate=f"{name}: %{{y:.3f}}<extra>%{{x}}</extra>",
        )  # fmt: skip
    figure.update_yaxes(title_text="T", range=[min(0.0, *(min(values) for _, values in bars)) - 0.08, 1.1])
    figure.update_layout(title_text="What each column tells", height=420)
    told = "; ".join(f"{one.name}: {one.T_y:.2f}, given the group {one.T_y_given:.2f}" for one in found)
    data = pd.DataFrame({"column": names, **dict(bars)})
    return Drawing(figure, data, f"T of y: {told}.")


def objectives(found: list[Candidate], weight: float) -> Drawing:
    """How much each objective likes each column; its favourite is named above."""
    figure = go.Figure()
    for k, one in enumerate(found):
        scores = [one.score(name, weight) for name in OBJECTIVES]
        figure.add_bar(
            x=list(OBJECTIVES), y=scores, name=one.name, text=[coefficient_text(score) for score in scores],
            textposition="outside", marker={"color": _COLOURS[k], "pattern": {"shape": _PATTERNS[k]}},
            hovertemplate=f"{one.name}: %{{y:.3f}}<extra>%{{x}}</extra>",
        )  # fmt: skip
    scores = [one.score(name, weight) for one in found for name in OBJECTIVES]
    figure.update_yaxes(title_text="score (larger is liked better)", range=[min(scores) - 0.2, max(scores) + 0.2])
    chosen = {name: preferred(found, name, weight).name.split(" (")[0] for name in OBJECTIVES}
    told = ", ".join(f"{name}: {best}" for name, best in chosen.items())
    figure.update_layout(title=titled(f"The favourite of each objective\n{told}"), height=440)
    data = pd.DataFrame(
        [{"column": one.name} | {name: one.score(name, weight) for name in OBJECTIVES} for one in found]
    )
    return Drawing(figure, data, f"The favourite of each objective: {told}.")

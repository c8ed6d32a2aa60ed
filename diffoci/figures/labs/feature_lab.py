"""Figures of the feature lab: errors beside the paper's, every selector at a glance, features by selector, beta."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from diffoci.audit.result import Mean
from diffoci.figures._error_bars import error_bars
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, ORANGE, SHADES, VERMILLION, beside, shortened, titled
from diffoci.labs.feature_selection.downstream import SHORT_WORDS, WORDS
from diffoci.labs.feature_selection.families import FAMILIES
from diffoci.labs.feature_selection.observations import COLUMNS, SINES, ObservationResult
from diffoci.labs.feature_selection.paper import figure_of
from diffoci.labs.feature_selection.result import LabResult, MethodOutcome
from diffoci.labs.feature_selection.words import only_together, star_words

_ROW, _AROUND = 26, 150
_WIDE = 20  # times the smallest, from where on errors stand on a logarithmic axis
MOST_FEATURES_SHOWN, _MOST_LABELS = 40, 32  # more names than that lie over one another; pointing at one shows it
_STAR = "★ "


def errors(result: LabResult) -> Drawing:
    """How well the outcome is predicted after each selector: every repetition, the mean, the paper's figure."""
    known = [one for one in result.methods if one.scores[result.measure].mean is not None]
    names = [one.label for one in known]
    figure = go.Figure()
    smallest, largest = _range(known, result.measure)
    wide = smallest > 0 and largest > _WIDE * smallest
    for family in FAMILIES.values():
        members = [one for one in known if one.family == family.name]
        dots = [(one.label, entry.scores[result.measure]) for one in members for entry in one.repetitions]
        figure.add_scatter(
            x=[value for _, value in dots], y=[label for label, _ in dots], mode="markers", showlegend=False,
            marker={"color": family.colour, "size": 5, "opacity": 0.35}, hoverinfo="skip",
        )  # fmt: skip
        figure.add_scatter(
            x=[one.scores[result.measure].mean for one in members],
            y=[one.label for one in members],
            error_x=error_bars([_drawn(one, result.measure, smallest) for one in members], thickness=1.5, width=4),
            mode="markers", name=family.title,
            marker={"color": family.colour, "symbol": family.marker, "size": 10},
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )  # fmt: skip
    paper = [(one.label, value) for one in known if (value := figure_of(result.spec, one.name)) is not None]
    figure.add_scatter(
        x=[value for _, value in paper], y=[label for label, _ in paper], mode="markers", name="the paper",
        marker={"symbol": "diamond-open", "color": VERMILLION, "size": 12, "line": {"width": 2}},
        hovertemplate="%{y}, the paper: %{x:.3f}<extra></extra>",
    )  # fmt: skip
    words = WORDS[result.measure]
    figure.update_layout(
        title=titled(f"Test rows: {words} after each selector\nevery dot a repetition; lower is better"),
        height=_AROUND + 30 + _ROW * len(names),
        margin={"l": beside(names)},
    )
    figure.update_xaxes(title_text=words, **(_logarithmic(smallest, largest) if wide else {"rangemode": "tozero"}))
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], dtick=1)
    best = min(known, key=lambda one: _limits(one, result.measure)[0], default=None)
    said = "" if best is None else f" The lowest is {best.label} with {_limits(best, result.measure)[0]:.3f}."
    return Drawing(figure, overview_frame(result), f"{words.capitalize()} of {len(names)} selectors.{said}")


def at_a_glance(result: LabResult) -> Drawing:
    """Score, number of features, stability and time of every selector, side by side."""
    known = [one for one in result.methods if one.scores[result.measure].mean is not None]
    names = [one.label for one in known]
    smallest, largest = _range(known, result.measure)
    wide = smallest > 0 and largest > _WIDE * smallest
    panels = (
        (SHORT_WORDS[result.measure], [one.scores[result.measure].mean for one in known], "log" if wide else "linear"),
        ("features", [one.size.mean for one in known], "log" if len(result.features) > 50 else "linear"),
        ("stability", [one.stability for one in known], "linear"),
        ("seconds", [one.seconds.mean for one in known], "log"),
    )
    figure = make_subplots(rows=1, cols=4, shared_yaxes=True, horizontal_spacing=0.03)
    for k, (title, values, scale) in enumerate(panels, start=1):
        for family in FAMILIES.values():
            some = [j for j, one in enumerate(known) if one.family == family.name and values[j] is not None]
            figure.add_scatter(
                x=[values[j] for j in some], y=[names[j] for j in some], mode="markers", row=1, col=k,
                name=family.title, legendgroup=family.name, showlegend=k == 1 and bool(some),
                marker={"color": family.colour, "symbol": family.marker, "size": 10},
                hovertemplate=f"%{{y}}, {title}: %{{x:.3g}}<extra></extra>",
            )  # fmt: skip
        figure.update_xaxes(title_text=title, type=scale, nticks=4, row=1, col=k)
        if scale == "log" and (sizes := [value for value in values if value]):
            figure.update_xaxes(**_logarithmic(min(sizes), max(sizes), decades=True), row=1, col=k)
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], dtick=1)
    figure.update_layout(
        title=titled("Score, size, stability and time\nstability 1: the same features in every repetition"),
        height=_AROUND + 30 + _ROW * len(names),
        margin={"l": beside(names)},
    )
    return Drawing(figure, overview_frame(result), "Score, number of features, stability and seconds of each selector.")


def _logarithmic(low: float, high: float, *, decades: bool = False) -> dict[str, Any]:
    """An axis with ticks at 1, 2 and 5 times powers of ten, or at the powers alone, written as plain numbers.

    >>> _logarithmic(0.03, 0.4)["ticktext"], _logarithmic(0.03, 4, decades=True)["ticktext"]
    (['0.05', '0.1', '0.2'], ['0.1', '1'])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1,) if decades and high >= 10 * low else (1, 2, 5)
    ticks = [value for power in powers for step in steps if low <= (value := step * 10.0**power) <= high]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{value:g}" for value in ticks]}


def overview_frame(result: LabResult) -> pd.DataFrame:
    """One row per selector."""
    return pd.DataFrame(
        [
            {
                "selector": one.label,
                **{SHORT_WORDS[name]: score.mean for name, score in one.scores.items()},
                "low": one.scores[result.measure].low,
                "high": one.scores[result.measure].high,
                "paper": figure_of(result.spec, one.name),
                "features": one.size.mean,
                "stability": one.stability,
                "correct set": one.exact,
                "soft T": one.T.mean,
                "seconds": one.seconds.mean,
            }
            for one in result.methods
        ]
    ).dropna(axis=1, how="all")


def frequencies(result: LabResult) -> Drawing | None:
    """How often each selector chose each feature; those that only FOCI or difFOCI choose have a star."""
    known = [one for one in result.methods if one.frequency is not None and one.name not in ("mean", "full")]
    if not known:
        return None
    share = np.array([one.frequency for one in known])
    order = np.argsort(-share.sum(axis=0), kind="stable")[:MOST_FEATURES_SHOWN]
    if result.truth is not None:
        order = np.array([*result.truth, *(k for k in order if k not in result.truth)])[:MOST_FEATURES_SHOWN]
    starred = only_together(result)
    labels = [_feature_label(result, int(k), int(k) in starred) for k in order]
    names = [one.label for one in known]
    figure = go.Figure(
        go.Heatmap(
            z=share[:, order], x=list(range(len(order))), y=names, customdata=[labels] * len(names),
            zmin=0, zmax=1, colorscale=SHADES, xgap=1, ygap=1,
            hovertemplate="%{y} chose %{customdata} in %{z:.0%} of repetitions<extra></extra>",
            colorbar={"title": {"text": "chosen"}, "tickformat": ".0%", "thickness": 12},
        )
    )  # fmt: skip
    marks = f"\n{_STAR}{star_words(result)}" if starred else ""
    figure.update_layout(
        title=titled(f"Share of repetitions that chose a feature{marks}"),
        height=_AROUND + 70 + _ROW * len(names),
        margin={"l": beside(names)},
    )
    figure.update_yaxes(autorange="reversed")
    told = [k for k, label in enumerate(labels) if len(labels) <= _MOST_LABELS or label.startswith(_STAR)]
    figure.update_xaxes(tickangle=-60, tickvals=told, ticktext=[labels[k] for k in told])
    frame = pd.DataFrame(share[:, order].T, columns=names).assign(feature=[result.features[k] for k in order])
    alone = ", ".join(result.features[k] for k in sorted(starred))
    said = f" With a star ({star_words(result)}): {alone}." if starred else ""
    return Drawing(figure, frame, f"How often {len(names)} selectors chose each of {len(labels)} features.{said}")


def _feature_label(result: LabResult, feature: int, starred: bool) -> str:
    return f"{_STAR if starred else ''}{escape(shortened(result.features[feature]))}"


def betas(result: LabResult) -> Drawing | None:
    """Error and soft T by beta."""
    tried = [one for one in result.methods if one.beta is not None]
    if not tried:
        return None
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.12)
    looks = ((BLUE, "solid"), (VERMILLION, "dash"))
    for name, (colour, dash) in zip(dict.fromkeys(one.name for one in tried), looks, strict=False):
        some = [one for one in tried if one.name == name]
        for k in (1, 2):
            limits = [_limits(one, result.measure) for one in some]
            figure.add_scatter(
                x=[one.beta for one in some], row=1, col=k, name=name, legendgroup=name, showlegend=k == 1,
                y=[value for value, _, _ in limits] if k == 1 else [one.T.mean for one in some],
                error_y=error_bars(limits, thickness=1.5, width=4) if k == 1 else None,
                mode="lines+markers", line={"color": colour, "dash": dash},
                hovertemplate=f"{name}, beta %{{x:g}}: %{{y:.3f}}<extra></extra>",
            )  # fmt: skip
    figure.update_xaxes(type="log", title_text="beta", exponentformat="power")
    figure.update_yaxes(title_text=WORDS[result.measure], rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title_text="soft T, training rows", row=1, col=2)
    figure.update_layout(title=titled("Beta: how sharp neighbours are"), height=380)
    return Drawing(figure, overview_frame(result), f"Error and soft T of {len(tried)} trainings by beta.")


def observations(result: ObservationResult) -> Drawing:
    """T of every expression, of sines and of the columns as they are, with intervals over draws."""
    figure = go.Figure()
    names = [one.expression for one in result.expressions]
    looks = ((SINES, BLUE, "circle", "sines"), (COLUMNS, ORANGE, "square", "columns"))
    for title, colour, symbol, entry in looks:
        found: list[Mean] = [getattr(one, entry) for one in result.expressions]
        limits = [(value, value if one.low is None else one.low, value if one.high is None else one.high)
                  for one in found if (value := one.mean) is not None]  # fmt: skip
        figure.add_scatter(
            x=[value for value, _, _ in limits], y=names, mode="markers", name=title,
            error_x=error_bars(limits, thickness=1.5, width=4), marker={"color": colour, "symbol": symbol, "size": 10},
            hovertemplate=f"T of Y and %{{y}}, {title}: %{{x:.3f}}<extra></extra>",
        )  # fmt: skip
    about = f"{result.spec.draws} draws of {result.spec.n:,} rows, sigma of X {result.spec.sigma_x:g}"
    figure.update_layout(
        title=titled(f"T of Y and functions of three columns\n{about}"), height=400, margin={"l": beside(names)}
    )
    figure.update_xaxes(title_text="T")
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1])
    frame = pd.DataFrame(
        {
            "Expression": names,
            "T of sines": [one.sines.mean for one in result.expressions],
            "T of columns": [one.columns.mean for one in result.expressions],
            "Difference": [one.difference.mean for one in result.expressions],
            "from": [one.difference.low for one in result.expressions],
            "to": [one.difference.high for one in result.expressions],
        }
    )
    return Drawing(figure, frame, f"T of {len(names)} expressions, of sines and of the columns themselves; {about}.")


def _range(known: Sequence[MethodOutcome], measure: str) -> tuple[float, float]:
    every = [entry.scores[measure] for one in known for entry in one.repetitions]
    return min(every, default=0.0), max(every, default=0.0)


def _drawn(one: MethodOutcome, measure: str, smallest: float) -> tuple[float, float, float]:
    """The limits, not below half of the smallest error: none is below 0, and a logarithmic axis has no 0."""
    mean, low, high = _limits(one, measure)
    return mean, max(low, min(mean, smallest / 2)), high


def _limits(one: MethodOutcome, measure: str) -> tuple[float, float, float]:
    score = one.scores[measure]
    mean = float("nan") if score.mean is None else score.mean
    return mean, mean if score.low is None else score.low, mean if score.high is None else score.high

"""The spurious lab in pictures: averages beside worst groups, every group, lambda and beta, what features know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.result import Mean
from diffoci.figures._error_bars import error_bars
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREEN, GREY, GROUP_COLOURS, GROUP_MARKERS, VERMILLION, beside, titled
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.paper import BETA_STUDY, WATERBIRDS
from diffoci.labs.spurious.result import Outcome, SpuriousResult, Stage
from diffoci.labs.spurious.words import percent

_ROW = 34  # pixels of a method
_SHARE = {"range": [-0.02, 1.02], "tickformat": ".0%", "nticks": 11}


def worst_groups(result: SpuriousResult) -> Drawing:
    """Average and worst group of every method; the paper's Waterbirds figures beside the birds."""
    names = [one.title for one in result.methods]
    figure = go.Figure(
        layout={"title": titled("Right on average, and in the worst group\nmeans over repetitions with 95 % intervals")}
    )
    figure.add_traces(
        [
            _dots(
                "average, as training rows come",
                [one.average_by_training_groups for one in result.methods],
                names,
                GREY,
                "circle-open",
            ),
            _dots("worst group", [one.worst_group for one in result.methods], names, BLUE, "circle"),
        ]
    )
    rows = [_line(one) for one in result.methods]
    if result.spec.data in ("birds", "waterbirds"):
        known = [(one.title, WATERBIRDS[METHODS[one.name].paper][1] / 100) for one in result.methods if _has_paper(one)]
        figure.add_scatter(
            x=[value for _, value in known],
            y=[name for name, _ in known],
            mode="markers",
            name="worst group, the paper on Waterbirds",
            marker={"symbol": "diamond-open", "color": VERMILLION, "size": 11, "line": {"width": 2}},
            hovertemplate="%{y}, the paper: %{x:.1%}<extra></extra>",
        )
    figure.update_xaxes(**_SHARE)
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1])
    figure.update_layout(height=190 + _ROW * len(names), margin={"t": 84, "l": beside(names), "b": 70})
    told = [
        f"{one.title} {percent(one.average_by_training_groups)} and {percent(one.worst_group)}"
        for one in result.methods
    ]
    return Drawing(figure, pd.DataFrame(rows), f"Average and worst group: {'; '.join(told)}.")


def by_group(result: SpuriousResult, names: Iterable[str]) -> Drawing:
    """Every label in every group, of a few methods."""
    groups = [f"{size.name} ({size.train:,})" for size in result.sizes]
    shown = [one for one in result.methods if one.name in set(names)]
    figure = go.Figure(layout={"title": titled("Group by group\nin brackets: training rows")})
    rows = []
    for k, one in enumerate(shown):
        colour, marker = GROUP_COLOURS[k % len(GROUP_COLOURS)], GROUP_MARKERS[k % len(GROUP_MARKERS)]
        figure.add_trace(_dots(one.title, one.cells, groups, colour, marker))
        rows += [
            {"method": one.title, "group": size.name, **_limits(mean)}
            for size, mean in zip(result.sizes, one.cells, strict=True)
        ]
    figure.update_xaxes(**_SHARE)
    figure.update_yaxes(categoryorder="array", categoryarray=groups[::-1])
    figure.update_layout(height=190 + 44 * len(groups), margin={"t": 84, "l": beside(groups), "b": 60})
    told = [f"{one.title}: " + ", ".join(percent(mean) for mean in one.cells) for one in shown]
    return Drawing(
        figure, pd.DataFrame(rows), f"Right in {', '.join(size.name for size in result.sizes)}. {'; '.join(told)}."
    )


def study(result: SpuriousResult, stage: Stage) -> Drawing:
    """Average and worst group along lambda or beta; both ends of beta fall back to ERM."""
    found = result.along(stage)
    values = [(one.penalty if stage == "lambda" else one.beta) or 0.0 for one in found]
    places = [f"{value:g}" for value in values]
    said = "weight of the penalty (lambda)" if stage == "lambda" else "sharpness of neighbours (beta)"
    figure = go.Figure(layout={"title": titled(f"ERM + dF2 by the {said}")})
    for name, means, colour, marker in (
        ("average, as training rows come", [one.average_by_training_groups for one in found], GREY, "circle-open"),
        ("worst group", [one.worst_group for one in found], BLUE, "circle"),
    ):
        figure.add_trace({**_dots(name, means, places, colour, marker, across=True), "mode": "lines+markers"})
    plain = result.find("ERM")
    if plain is not None and plain.worst_group.mean is not None:
        figure.add_hline(
            y=plain.worst_group.mean, line={"dash": "dot", "color": GREY}, annotation_text="ERM, worst group"
        )
    if stage == "beta" and result.spec.data in ("birds", "waterbirds"):
        known = [(f"{value:g}", BETA_STUDY[value] / 100) for value in values if value in BETA_STUDY]
        figure.add_scatter(
            x=[place for place, _ in known],
            y=[value for _, value in known],
            mode="markers",
            name="worst group, the paper on Waterbirds",
            marker={"symbol": "diamond-open", "color": VERMILLION, "size": 11, "line": {"width": 2}},
        )
    figure.update_xaxes(title=said, type="category", categoryorder="array", categoryarray=places)
    figure.update_yaxes(**_SHARE)
    figure.update_layout(height=420, margin={"b": 110})
    rows = [{stage: value, **_line(one)} for value, one in zip(values, found, strict=True)]
    told = [f"{place}: {percent(one.worst_group)}" for place, one in zip(places, found, strict=True)]
    return Drawing(figure, pd.DataFrame(rows), f"Worst group by {said}: {', '.join(told)}.")


def average_against_worst(result: SpuriousResult, stage: Stage) -> Drawing:
    """What the worst group gains for what the average loses, along lambda or beta."""
    found = [one for one in result.along(stage) if one.worst_group.mean is not None]
    places = [f"{(one.penalty if stage == 'lambda' else one.beta) or 0.0:g}" for one in found]
    figure = go.Figure(layout={"title": titled(f"Average against worst group\nbeside each mark: {stage}")})
    figure.add_scatter(
        x=[one.average_by_training_groups.mean for one in found],
        y=[one.worst_group.mean for one in found],
        text=places,
        mode="lines+markers+text",
        textposition="top center",
        name=f"ERM + dF2 by {stage}",
        line={"color": GREY, "width": 1},
        marker={"color": BLUE, "size": 10},
        hovertemplate=f"{stage} %{{text}}: average %{{x:.1%}}, worst group %{{y:.1%}}<extra></extra>",
    )
    plain = result.find("ERM")
    if plain is not None and plain.worst_group.mean is not None:
        figure.add_scatter(
            x=[plain.average_by_training_groups.mean],
            y=[plain.worst_group.mean],
            mode="markers",
            name="ERM",
            marker={"color": VERMILLION, "symbol": "diamond-open", "size": 12, "line": {"width": 2}},
            hovertemplate="ERM: average %{x:.1%}, worst group %{y:.1%}<extra></extra>",
        )
    marks = [*found, *([] if plain is None else [plain])]
    figure.update_xaxes(
        title="average, as training rows come",
        tickformat=".1%",
        range=_around([one.average_by_training_groups.mean for one in marks]),
    )
    figure.update_yaxes(title="worst group", tickformat=".0%", range=_around([one.worst_group.mean for one in marks]))
    figure.update_layout(height=420, margin={"t": 84})
    rows = [{stage: float(place), **_line(one)} for place, one in zip(places, found, strict=True)]
    told = [
        f"{place}: {percent(one.average_by_training_groups)} and {percent(one.worst_group)}"
        for place, one in zip(places, found, strict=True)
    ]
    return Drawing(figure, pd.DataFrame(rows), f"Average and worst group by {stage}: {', '.join(told)}.")


def features_know(result: SpuriousResult) -> Drawing:
    """How well the group is guessed from the features, beside what a new last layer would make of them."""
    figure = go.Figure(layout={"title": titled("What the features know\neach mark a method, mean over repetitions")})
    shown = [one for one in result.methods if one.group_guessed_from_features.mean is not None]
    for k, one in enumerate(shown):
        figure.add_scatter(
            x=[one.group_guessed_from_features.mean],
            y=[one.worst_group_refitted.mean],
            mode="markers",
            name=one.title,
            marker={
                "size": 12,
                "color": GROUP_COLOURS[k % len(GROUP_COLOURS)],
                "symbol": GROUP_MARKERS[(k + k // len(GROUP_MARKERS)) % len(GROUP_MARKERS)],
            },
            hovertemplate=f"{one.title}: AUC %{{x:.2f}}; worst group %{{y:.1%}}<extra></extra>",
        )
    figure.update_xaxes(
        title=f"how well the {result.group_name} is guessed from the features (AUC)", range=[0.45, 1.02]
    )
    figure.update_yaxes(title="worst group with a new last layer", tickformat=".0%")
    figure.update_layout(height=460, margin={"b": 150})
    rows = [_line(one) for one in result.methods]
    told = [f"{one.title} {one.group_guessed_from_features.mean:.2f}" for one in shown]
    return Drawing(
        figure, pd.DataFrame(rows), f"{result.group_name} guessed from the features, AUC: {', '.join(told)}."
    )


def saliency_shares(result: SpuriousResult) -> Drawing:
    """The share of saliency on the object, beside the share of its area."""
    shown = [one for one in result.methods if one.saliency_on_object.mean is not None]
    names = [one.title for one in shown]
    figure = go.Figure(
        layout={"title": titled("How much of the saliency lies on the object\nmeans with 95 % intervals")}
    )
    figure.add_trace(_dots("saliency on the object", [one.saliency_on_object for one in shown], names, GREEN, "square"))
    if result.area.mean is not None:
        figure.add_vline(x=result.area.mean, line={"dash": "dot", "color": GREY}, name="area")
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="lines",
            name="the object's share of the pixels",
            line={"dash": "dot", "color": GREY},
        )
    figure.update_xaxes(tickformat=".0%", rangemode="tozero")
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1])
    figure.update_layout(height=170 + _ROW * len(names), margin={"t": 84, "l": beside(names), "b": 70})
    rows = [{"method": one.title, **_limits(one.saliency_on_object), "area": result.area.mean} for one in shown]
    told = [f"{one.title} {percent(one.saliency_on_object)}" for one in shown]
    return Drawing(
        figure, pd.DataFrame(rows), f"Saliency on the object: {', '.join(told)}; its area is {percent(result.area)}."
    )


def _around(values: Iterable[float | None]) -> list[float]:
    """An axis of shares with some room beside the marks, also where there is one mark only.

    >>> _around([0.5, None])
    [0.48, 0.52]
    """
    known = [value for value in values if value is not None] or [0.5]
    room = max(0.02, 0.1 * (max(known) - min(known)))
    return [max(-0.02, min(known) - room), min(1.02, max(known) + room)]


def _has_paper(one: Outcome) -> bool:
    return METHODS[one.name].paper in WATERBIRDS if one.name in METHODS else False


def _dots(
    name: str, means: Sequence[Mean], places: Sequence[str], colour: str, marker: str, *, across: bool = False
) -> Mapping[str, Any]:
    known = [(place, mean) for place, mean in zip(places, means, strict=True) if mean.mean is not None]
    limits = [
        (mean.mean, mean.mean if mean.low is None else mean.low, mean.mean if mean.high is None else mean.high)
        for _, mean in known
        if mean.mean is not None
    ]
    along, other, error = ("y", "x", "error_y") if across else ("x", "y", "error_x")
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        along: [mean.mean for _, mean in known],
        other: [place for place, _ in known],
        error: error_bars(limits, thickness=1.5, width=4, color=colour),
        "marker": {"color": colour, "symbol": marker, "size": 10, "line": {"width": 2, "color": colour}},
        "hovertemplate": f"%{{{other}}}, {name}: %{{{along}:.1%}}<extra></extra>",
    }


def _limits(mean: Mean) -> dict[str, float | None]:
    return {"mean": mean.mean, "low": mean.low, "high": mean.high}


def _line(one: Outcome) -> dict[str, Any]:
    return {
        "method": one.title,
        "average": one.average.mean,
        "average by training groups": one.average_by_training_groups.mean,
        "worst group": one.worst_group.mean,
        "low": one.worst_group.low,
        "high": one.worst_group.high,
        "worst group, new last layer": one.worst_group_refitted.mean,
        "group guessed from features": one.group_guessed_from_features.mean,
        "T given the outcome": one.T_given_label.mean,
        "saliency on the object": one.saliency_on_object.mean,
    }

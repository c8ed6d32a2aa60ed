"""The main picture: how well y is predicted against how well the sensitive attribute is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.labels import label_places
from diffoci.figures.reading import (
    SHORT,
    Entry,
    Result,
    View,
    chance_band,
    entries,
    paper_points,
    people_tested,
    s_reference,
    y_reference,
)
from diffoci.figures.template import BAND, GREY, method_class, titled
from diffoci.figures.words import PLACES, SCORES, VERDICTS, interval_text, listed, score_text

HEIGHT = 560
TOO_FEW = "Too few people to say how well the attribute can be guessed; nothing is drawn."


def plane(result: Result, view: View) -> Drawing:
    """Every method: a dot for each seed, a large mark with its interval for the mean."""
    found = [entry for entry in entries(result, view) if entry.s["mean"] is not None]
    papers = paper_points(result, view)
    x = [s for entry in found for _, _, s in entry.by_seed()] + [entry.s["mean"] for entry in found]
    y = [v for entry in found for _, v, _ in entry.by_seed()] + [entry.y["mean"] for entry in found]
    x += [pair[1] for pair in papers.values()]
    y += [pair[0] for pair in papers.values()]
    figure = axes(result, view, found, x, y)
    for entry in found:
        _add_seeds(figure, entry, view)
    add_means(figure, found, view)
    if papers:
        _add_paper(figure, papers)
    figure.update_layout(title=titled(_title(result, view, found)), height=HEIGHT, margin={"t": 110})
    return Drawing(figure, _plane_data(found, papers), _plane_alt(found, view) if found else TOO_FEW)


# Limits follow the points, not the intervals: with few seeds these are wide and would hide the points.
def axes(result: Result, view: View, found: list[Entry], x: list[float], y: list[float]) -> go.Figure:
    """An empty plane with chance, majority and the better corner named."""
    figure = go.Figure()
    s_line, y_line = s_reference(result, view), y_reference(result, view)
    band = chance_band(found) if view.score == "auc" else None
    x, y = x or [s_line], y or [y_line]
    near = min(y) - y_line <= 1.5 * max(max(y) - min(y), 0.05)
    x_range, y_range = _range([*x, s_line, *(band or ())]), _range([*y, y_line] if near else y)
    if band:
        low, high, highest = band
        figure.add_vrect(x0=low, x1=high, fillcolor=BAND, line_width=0, layer="below", name="chance")
        words = f"chance: what shuffled labels give, up to {high:.2f}"
        if f"{highest:.2f}" > f"{high:.2f}":  # the paler part is chance for some methods only
            figure.add_vrect(x0=high, x1=highest, fillcolor=BAND, opacity=0.45, line_width=0, layer="below", name="own")
            words += f"–{highest:.2f} by method"
        _add_to_legend(figure, words, None)
    else:
        figure.add_vline(x=s_line, line={"color": GREY, "width": 2, "dash": "dot"}, name="chance")
        naming = "always naming the largest group" if view.score == "accuracy" else "chance"
        _add_to_legend(figure, f"{escape(view.attribute)} by {naming}: {score_text(s_line, view.score)}", "dot")
    if near:
        figure.add_hline(y=y_line, line={"color": GREY, "width": 2, "dash": "dash"}, name="majority")
    naming = "always naming the commonest class" if view.score == "accuracy" else "chance"
    below = "" if near else " (below the picture)"
    _add_to_legend(figure, f"y by {naming}: {score_text(y_line, view.score)}{below}", "dash")
    figure.add_annotation(
        x=0, xref="paper", y=1, yref="paper", text="↖ better: y kept, nothing to guess from", xanchor="left",
        yanchor="bottom", font={"size": 13}, showarrow=False,
    )  # fmt: skip
    if not any(entry.judged(result, view) for entry in found):
        words = f"too few people to say how well {escape(view.attribute)} can be guessed"
        figure.add_annotation(x=0.5, xref="paper", y=0.5, yref="paper", text=words, showarrow=False, font={"size": 16})
    fmt = ".2f" if view.score == "auc" else ".0%"
    name = SCORES[view.score].lower() if view.score != "auc" else "AUC"
    figure.update_xaxes(
        title_text=f"how well {escape(view.attribute)} can be guessed ({name}) →", range=x_range, tickformat=fmt
    )
    figure.update_yaxes(title_text=f"how well y is predicted ({name})", range=y_range, tickformat=fmt)
    return figure


def _add_to_legend(figure: go.Figure, words: str, dash: str | None) -> None:
    """Name a line, or without a dash the band: beside it the words would cover marks."""
    look: dict[str, Any] = {"mode": "lines", "line": {"color": GREY, "width": 2, "dash": dash}}
    if dash is None:
        look = {"mode": "markers", "marker": {"symbol": "square", "size": 14, "color": BAND, "line": {"width": 0}}}
    figure.add_scatter(x=[None], y=[None], name=words, hoverinfo="skip", legendrank=2000, **look)


def _range(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    pad = max(0.07 * (high - low), 0.02)
    return low - pad, high + pad


def _add_seeds(figure: go.Figure, entry: Entry, view: View) -> None:
    look, seeds = method_class(entry.name), entry.by_seed()
    figure.add_scatter(
        x=[s for _, _, s in seeds],
        y=[y for _, y, _ in seeds],
        mode="markers",
        marker={"symbol": look.marker, "size": 7, "color": look.colour, "opacity": 0.65},
        name=f"{entry.name} seeds",
        legendgroup=entry.name,
        showlegend=False,
        hovertext=[
            f"{entry.title}, seed {seed}<br>y {score_text(y, view.score)}, "
            f"{escape(view.attribute)} {score_text(s, view.score)}"
            for seed, y, s in seeds
        ],
        hoverinfo="text",
    )


def add_means(figure: go.Figure, found: list[Entry], view: View) -> None:
    """A large mark with intervals and its name for every method."""
    x, y = [entry.s["mean"] for entry in found], [entry.y["mean"] for entry in found]
    x_range, y_range = figure.layout.xaxis.range, figure.layout.yaxis.range
    where = label_places(x, y, [entry.short for entry in found], x_range=x_range, y_range=y_range)
    for entry, place in zip(found, where, strict=True):
        look = method_class(entry.name)
        figure.add_scatter(
            x=[entry.s["mean"]],
            y=[entry.y["mean"]],
            error_x=_reach(entry.s, look.colour),
            error_y=_reach(entry.y, look.colour),
            mode="markers+text",
            text=[entry.short],
            textposition=place,
            cliponaxis=False,
            marker={"symbol": look.marker, "size": 15, "color": look.colour, "line": {"width": 1, "color": "white"}},
            name=entry.short,
            legendgroup=entry.name,
            meta=entry.name,
            hovertext=[f"<b>{entry.title}</b>, mean of {len(entry.seeds)} seeds<br>{hover(entry, view)}"],
            hoverinfo="text",
        )


def _reach(found: Mapping[str, Any], colour: str) -> dict[str, Any] | None:
    """Arms of the interval, within 0 and 1."""
    if found["low"] is None:
        return None
    up, down = min(1.0, found["high"]) - found["mean"], found["mean"] - max(0.0, found["low"])
    return {
        "type": "data",
        "symmetric": False,
        "array": [up],
        "arrayminus": [down],
        "color": _pale(colour),
        "thickness": 1.5,
    }


def _pale(colour: str) -> str:
    """The same colour half seen through: with few seeds intervals are long and must not outshout the marks."""
    return f"rgba({int(colour[1:3], 16)},{int(colour[3:5], 16)},{int(colour[5:7], 16)},0.5)"


def _add_paper(figure: go.Figure, papers: dict[str, tuple[float, float]]) -> None:
    figure.add_scatter(
        x=[pair[1] for pair in papers.values()],
        y=[pair[0] for pair in papers.values()],
        mode="markers+text",
        text=[f"{SHORT.get(name, name)} in the paper" for name in papers],
        textposition="top center",
        textfont={"size": 12},
        marker={
            "symbol": "diamond-open",
            "size": 15,
            "color": [method_class(name).colour for name in papers],
            "line": {"width": 2.5},
        },
        name="The paper",
        hovertext=[
            f"<b>The paper, {SHORT.get(name, name)}</b><br>y {100 * y:.1f} %, attribute {100 * s:.1f} %, test rows"
            for name, (y, s) in papers.items()
        ],
        hoverinfo="text",
    )


def hover(entry: Entry, view: View) -> str:
    """What a method gave, in words."""
    high = entry.found["null_auc_high"]
    chance = f", chance up to {high:.2f}" if high is not None else ""
    return (
        f"y: {interval_text(entry.y, view.score)}<br>"
        f"{escape(view.attribute)}: {interval_text(entry.s, view.score)}<br>"
        f"{VERDICTS[entry.found['verdict']]} (AUC {score_text(entry.found['auc']['mean'], 'auc')}{chance})"
    )


def _title(result: Result, view: View, found: list[Entry]) -> str:
    rows, seeds = result["provenance"]["rows"], max(len(one["seeds"]) for one in result["methods"])
    tested = people_tested(found)
    return (
        f"Predicting y against guessing {escape(view.attribute)}"
        f"\ny: {escape(result['label']['name'])}; from {PLACES[view.place]}\n{rows:,} people, {tested:,} of them "
        f"tested in {seeds} seeds (small marks), means with 95 % intervals"
    )


def _plane_data(found: list[Entry], papers: dict[str, tuple[float, float]]) -> pd.DataFrame:
    rows: list[dict[str, object]] = []
    for entry in found:
        rows.append({"method": entry.name, "what": "mean", "y": entry.y["mean"], "guessed": entry.s["mean"]})
        rows[-1] |= {"y_low": entry.y["low"], "y_high": entry.y["high"]}
        rows[-1] |= {"guessed_low": entry.s["low"], "guessed_high": entry.s["high"]}
        rows += [{"method": entry.name, "what": f"seed {k}", "y": y, "guessed": s} for k, y, s in entry.by_seed()]
    rows += [{"method": name, "what": "paper", "y": y, "guessed": s} for name, (y, s) in papers.items()]
    columns = ["method", "what", "y", "y_low", "y_high", "guessed", "guessed_low", "guessed_high"]
    return pd.DataFrame(rows).reindex(columns=columns)


def _plane_alt(found: list[Entry], view: View) -> str:
    parts = [
        f"{entry.short} {score_text(entry.y['mean'], view.score)} and {score_text(entry.s['mean'], view.score)}"
        for entry in found
    ]
    what = f"How well y is predicted and how well {view.attribute} can be guessed"
    return f"{what}, {SCORES[view.score]}, by method: {listed(parts)}."

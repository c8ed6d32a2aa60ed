"""The main picture: how well the outcome is predicted against how well the sensitive attribute is guessed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.result import AuditResult, Mean
from diffoci.audit.words import (
    PLACES,
    SCORES,
    VERDICTS,
    beside_chance,
    interval_text,
    listed,
    probe_title,
    score_text,
    sentence_case,
)
from diffoci.figures._error_bars import error_bars
from diffoci.figures._label_positions import place_names
from diffoci.figures.ceilings import add_ceilings, ceiling_columns, ceilings_alt, known_ceilings
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BAND, GREY, method_class, titled
from diffoci.figures.view import (
    Row,
    View,
    called_in,
    chance_band,
    over_repetitions,
    paper_points,
    people_tested,
    rows_of,
    s_reference,
    y_reference,
)
from diffoci.plain_text import counted

HEIGHT = 560
MOST_SEEDS = 10  # named on hovering
TOO_FEW = "Too few people to say how well the attribute can be guessed; nothing is drawn."
Points = Sequence[tuple[float, float]]


def plane(result: AuditResult, view: View, *, chosen: str | None = None) -> Drawing:
    """Every method: a mark for its mean, whose seeds and interval are told on hovering; one has its interval drawn.

    Which one is `chosen`, or else the method to speak of first: the intervals of many would cross the whole picture.
    """
    rows = [row for row in rows_of(result, view) if row.point() is not None]
    papers = paper_points(result, view)
    named = spoken_of(result, view, chosen)
    points = [(s, y) for row in rows if row.name == named for _, y, s in row.by_seed()]
    ceilings = [(most, row.y.mean or 0.0) for row, most in known_ceilings(rows, view)]
    figure = axes(result, view, rows, points + ceilings + [(s, y) for y, s in papers.values()])
    add_ceilings(figure, rows, view)
    add_means(figure, rows, view, chosen=named)
    if papers:
        _add_paper(figure, papers, {name: called_in(result, name) for name in papers})
    figure.update_layout(title=titled(_title(result, view, rows, named)), height=HEIGHT, margin={"t": 110})
    return Drawing(figure, _plane_data(rows, papers, view), _plane_alt(rows, view) if rows else TOO_FEW)


def spoken_of(result: AuditResult, view: View, chosen: str | None = None) -> str | None:
    """The method chosen, if this view has it, or else the one to speak of first."""
    if chosen in {row.name for row in rows_of(result, view)}:
        return chosen
    found = result.findings.guessed.get(view.attribute, {}).get(view.place)
    return None if found is None else found.best


_HIGHEST = 1.02  # a mark at 1 is seen whole


# Limits follow the points, not the interval: with few seeds it is wide and would hide the points.
def axes(result: AuditResult, view: View, rows: Sequence[Row], points: Points = ()) -> go.Figure:
    """An empty plane for these rows and further points, with chance, majority and the better corner named."""
    figure = go.Figure()
    every = [*points, *(point for row in rows if (point := row.point()) is not None)]
    band = chance_band(rows) if view.score == "auc" else None
    s_line, y_line = s_reference(result, view), y_reference(result, view)
    x, y = [point[0] for point in every] or [s_line], [point[1] for point in every] or [y_line]
    near = min(y) - y_line <= 1.5 * max(max(y) - min(y), 0.05)
    _add_chance(figure, view, s_line, band)
    _add_majority(figure, view, y_line, near=near)
    figure.add_annotation(
        x=0, xref="paper", y=1, yref="paper", text="↖ better: outcome predicted, nothing to guess from", xanchor="left",
        yanchor="bottom", font={"size": 13}, showarrow=False,
    )  # fmt: skip
    if not any(row.judged(result, view) for row in rows):
        words = f"too few people to say how well {escape(view.attribute)} can be guessed"
        figure.add_annotation(x=0.5, xref="paper", y=0.5, yref="paper", text=words, showarrow=False, font={"size": 16})
    fmt, name = (".2f", "AUC") if view.score == "auc" else (".0%", SCORES[view.score].lower())
    figure.update_xaxes(
        title_text=f"how well {escape(view.attribute)} can be guessed ({name}) →",
        range=_range([*x, s_line, *(band or ())]),
        tickformat=fmt,
    )
    y_range = _range([*y, y_line] if near else y)
    figure.update_yaxes(title_text=f"how well the outcome is predicted ({name})", range=y_range, tickformat=fmt)
    return figure


def _add_chance(figure: go.Figure, view: View, s_line: float, band: tuple[float, float, float] | None) -> None:
    """What guessing gives without knowing anything: the band of shuffled labels, or a line."""
    if band is None:
        figure.add_vline(x=s_line, line={"color": GREY, "width": 2, "dash": "dot"}, name="chance")
        naming = "always naming the largest group" if view.score == "accuracy" else "chance"
        _add_to_legend(figure, f"{escape(view.attribute)} by {naming}: {score_text(s_line, view.score)}", "dot")
        return
    low, high, highest = band
    figure.add_vrect(x0=low, x1=high, fillcolor=BAND, line_width=0, layer="below", name="chance")
    words = f"chance: what shuffled labels give, up to {high:.2f}"
    if f"{highest:.2f}" > f"{high:.2f}":  # the paler part is chance for some methods only
        figure.add_vrect(x0=high, x1=highest, fillcolor=BAND, opacity=0.45, line_width=0, layer="below", name="own")
        words += f"–{highest:.2f} by method"
    _add_to_legend(figure, words, None)


def _add_majority(figure: go.Figure, view: View, y_line: float, *, near: bool) -> None:
    """What predicting gives without knowing anything, where that is near enough to be drawn."""
    if near:
        figure.add_hline(y=y_line, line={"color": GREY, "width": 2, "dash": "dash"}, name="majority")
    naming = "always naming the commonest class" if view.score == "accuracy" else "chance"
    below = "" if near else " (below the picture)"
    _add_to_legend(figure, f"outcome by {naming}: {score_text(y_line, view.score)}{below}", "dash")


def _add_to_legend(figure: go.Figure, words: str, dash: str | None) -> None:
    """Name a line, or without a dash the band: beside it the words would cover marks."""
    look: dict[str, Any] = {"mode": "lines", "line": {"color": GREY, "width": 2, "dash": dash}}
    if dash is None:
        look = {"mode": "markers", "marker": {"symbol": "square", "size": 14, "color": BAND, "line": {"width": 0}}}
    figure.add_scatter(x=[None], y=[None], name=words, hoverinfo="skip", legendrank=2000, **look)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis: a tenth at least, so that ticks differ, and hardly beyond 1, which no score exceeds."""
    low, high = min(values), max(values)
    pad = max(0.07 * (high - low), (0.1 - (high - low)) / 2, 0.02)
    return low - pad, min(high + pad, _HIGHEST)


def add_means(figure: go.Figure, rows: Sequence[Row], view: View, *, chosen: str | None = None) -> None:
    """A large mark with its name for every method; the chosen one has its interval as well."""
    points = [(row, point) for row in rows if (point := row.point()) is not None]
    names = place_names(
        [x for _, (x, _) in points],
        [y for _, (_, y) in points],
        [row.called for row, _ in points],
        x_range=figure.layout.xaxis.range,
        y_range=figure.layout.yaxis.range,
        avoid=[arm for row, (x, y) in points if row.name == chosen for arm in _arms_of(row, x, y)],
    )
    for (row, (x, y)), name in zip(points, names, strict=True):
        look = row.look
        figure.add_scatter(
            x=[x],
            y=[y],
            error_x=_arms(row.s, look.colour) if row.name == chosen else None,
            error_y=_arms(row.y, look.colour) if row.name == chosen else None,
            mode="markers+text",
            text=[escape(name.text)],
            textposition=name.position,
            cliponaxis=False,
            marker={"symbol": look.marker, "size": 15, "color": look.colour, "line": {"width": 1, "color": "white"}},
            name=escape(row.called),
            legendgroup=row.name,
            legendrank=1000 + look.rank,
            meta=row.name,
            hovertext=[
                f"<b>{escape(row.title)}</b>, mean of {counted(len(row.seeds), 'repetition')}<br>"
                f"{hover(row, view)}{_seeds(row, view)}"
            ],
            hoverinfo="text",
        )


def _arms(found: Mean, colour: str) -> dict[str, Any] | None:
    """The interval within 0 and 1, as thin lines."""
    if found.mean is None or found.low is None or found.high is None:
        return None
    return error_bars([(found.mean, max(0.0, found.low), min(1.0, found.high))], color=colour, thickness=1.2, width=5)


def _arms_of(row: Row, x: float, y: float) -> list[tuple[float, float, float, float]]:
    """The lines of an interval, which names should not lie on."""
    across = [] if row.s.low is None or row.s.high is None else [(row.s.low, y, row.s.high, y)]
    return across + ([] if row.y.low is None or row.y.high is None else [(x, row.y.low, x, row.y.high)])


def _seeds(row: Row, view: View) -> str:
    """What every seed gave, on lines of their own; of many the first ones."""
    seeds = row.by_seed()
    told = [
        f"<br>repetition {seed + 1}: outcome {score_text(y, view.score)}, "
        f"{escape(view.attribute)} {score_text(s, view.score)}"
        for seed, y, s in seeds[:MOST_SEEDS]
    ]
    return "".join(told) + (f"<br>… and {len(seeds) - MOST_SEEDS} more repetitions" if len(seeds) > MOST_SEEDS else "")


def _add_paper(figure: go.Figure, papers: dict[str, tuple[float, float]], called: dict[str, str]) -> None:
    figure.add_scatter(
        x=[pair[1] for pair in papers.values()],
        y=[pair[0] for pair in papers.values()],
        mode="markers+text",
        text=[f"{escape(called[name])} in the paper" for name in papers],
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
            f"<b>The paper, {escape(called[name])}</b><br>outcome {100 * y:.1f} %, attribute {100 * s:.1f} %, test rows"
            for name, (y, s) in papers.items()
        ],
        hoverinfo="text",
    )


def hover(row: Row, view: View) -> str:
    """What a method gave, in words."""
    area, high = beside_chance(row.found.auc.mean, row.found.null_auc_high)
    chance = f", chance up to {high}" if row.found.null_auc_high is not None else ""
    return (
        f"outcome: {interval_text(row.y, view.score)}<br>"
        f"{escape(view.attribute)}: {interval_text(row.s, view.score)}<br>"
        f"{VERDICTS[row.found.verdict]} (AUC {area}{chance})"
    )


def _title(result: AuditResult, view: View, rows: Sequence[Row], chosen: str | None) -> str:
    seeds = max(len(one.seeds) for one in result.methods)
    drawn = next((row.called for row in rows if row.name == chosen and row.s.low is not None), None)
    interval = f", with the 95 % interval of {escape(drawn)}" if drawn else ""
    return (
        f"Predicting the outcome against guessing {escape(view.attribute)}"
        f"\noutcome: {escape(result.label.name)}; from {PLACES[view.place]}\n{result.provenance.rows:,} people, "
        f"{people_tested(rows):,} of them tested; {over_repetitions(seeds)}{interval}"
    )


def _plane_data(rows: Sequence[Row], papers: dict[str, tuple[float, float]], view: View) -> pd.DataFrame:
    lines: list[dict[str, object]] = []
    for row in rows:
        lines.append({"method": row.name, "what": "mean", "y": row.y.mean, "guessed": row.s.mean})
        lines[-1] |= {"y_low": row.y.low, "y_high": row.y.high}
        lines[-1] |= {"guessed_low": row.s.low, "guessed_high": row.s.high, "ceiling": row.ceiling(view)}
        lines += [{"method": row.name, "what": f"seed {k}", "y": y, "guessed": s} for k, y, s in row.by_seed()]
    lines += [{"method": name, "what": "paper", "y": y, "guessed": s} for name, (y, s) in papers.items()]
    columns = ["method", "what", "y", "y_low", "y_high", "guessed", "guessed_low", "guessed_high", "ceiling"]
    return pd.DataFrame(lines).reindex(columns=columns)


def _plane_alt(rows: Sequence[Row], view: View) -> str:
    parts = [
        f"{row.called} {score_text(row.y.mean, view.score)} and {score_text(row.s.mean, view.score)}" for row in rows
    ]
    what = f"How well the outcome is predicted and how well {view.attribute} can be guessed"
    return f"{what}, {SCORES[view.score]}, by method: {listed(parts)}.{ceilings_alt(rows, view)}"


def table(result: AuditResult, view: View) -> pd.DataFrame:
    """The numbers behind the picture, one row a method."""
    lines = []
    guessed = f"{sentence_case(view.attribute)} guessed"
    for row in rows_of(result, view):
        drawn = {} if view.score == "accuracy" else {_y_drawn(view): score_text(row.y.mean, view.score)}
        line = {
            "Method": row.called,
            "Verdict": VERDICTS[row.found.verdict],
            "Outcome accuracy": interval_text(row.accuracy, "accuracy"),
            **drawn,
            guessed: interval_text(row.s, view.score),
            "Chance": _chance(result, view, row),
            **ceiling_columns(row, view),
            "Strongest probe": probe_title(row.found.probe),
            "At prediction": f"needs {view.attribute}" if row.needs_sensitive else "data only",
        }
        lines.append(line)
    return pd.DataFrame(lines)


def by_repetition(result: AuditResult, view: View) -> pd.DataFrame:
    """What every repetition gave, one row a method, in the score of the view."""
    return pd.DataFrame(
        {
            "Method": row.called,
            "Outcome predicted": ", ".join(score_text(y, view.score) for _, y, _ in row.by_seed()),
            f"{sentence_case(view.attribute)} guessed": ", ".join(score_text(s, view.score) for *_, s in row.by_seed()),
        }
        for row in rows_of(result, view)
    )


def _y_drawn(view: View) -> str:
    return "Outcome AUC" if view.score == "auc" else f"Outcome {SCORES[view.score].lower()}"


def _chance(result: AuditResult, view: View, row: Row) -> str:
    low, high = row.found.null_auc_low, row.found.null_auc_high
    if view.score == "auc":
        return "not judged" if low is None or high is None else f"{low:.2f} to {high:.2f}"
    return score_text(s_reference(result, view), view.score)

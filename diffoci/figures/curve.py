"""The trade-off: the main picture's axes with the weights of the penalty and of the adversary joined by lines."""

from __future__ import annotations

from html import escape

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.methods import REFERENCE
from diffoci.audit.result import AuditResult
from diffoci.figures._label_positions import place_names
from diffoci.figures.compare import add_means, axes, hover
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import titled
from diffoci.figures.view import Row, View, curve_rows, people_tested, rows_of
from diffoci.plain_text import counted

Weighted = list[tuple[float, Row]]


def curve(result: AuditResult, view: View) -> Drawing | None:
    """The same axes with each method's weights joined by a line; None where the audit has no curve."""
    lines = {
        name: [(weight, row) for weight, row in points if row.point() is not None]
        for name, points in curve_rows(result, view).items()
    }
    if not lines:
        return None
    start = [row for row in rows_of(result, view) if row.name == REFERENCE and row.point() is not None]
    every = start + [row for points in lines.values() for _, row in points]
    figure = axes(result, view, every)
    add_means(figure, start, view)
    for points in lines.values():
        if points:
            _add_line(figure, points, view)
    per_point = counted(max((len(row.seeds) for row in every), default=0), "repetition")
    figure.update_layout(
        title=titled(f"What a larger weight costs and brings\n{people_tested(every):,} people, {per_point} per point"),
        height=440,
        margin={"t": 90},
    )
    told = [(weight, row) for points in lines.values() for weight, row in points]
    data = [{"method": row.name, "weight": weight, "y": row.y.mean, "guessed": row.s.mean} for weight, row in told]
    ends = [f"{row.called} at weight {weight:g}: {row.s.mean:.2f}" for weight, row in told]
    alt = f"How well {view.attribute} can be guessed by weight. {'; '.join(ends)}."
    return Drawing(figure, pd.DataFrame(data), alt)


def _add_line(figure: go.Figure, points: Weighted, view: View) -> None:
    first, texts = points[0][1], [f"{weight:g}" for weight, _ in points]
    x, y = [row.s.mean or 0.0 for _, row in points], [row.y.mean or 0.0 for _, row in points]
    x_range, y_range = figure.layout.xaxis.range, figure.layout.yaxis.range
    names = place_names(x, y, texts, x_range=x_range, y_range=y_range, width=430, height=250)
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines+markers+text",
        text=[name.text for name in names],
        textposition=[name.position for name in names],
        marker={"symbol": first.look.marker, "size": 11, "color": first.look.colour},
        line={"color": first.look.colour, "width": 2},
        name=f"{escape(first.called)} (the number is its weight)",
        hovertext=[f"<b>{escape(row.called)}, weight {weight:g}</b><br>{hover(row, view)}" for weight, row in points],
        hoverinfo="text",
    )

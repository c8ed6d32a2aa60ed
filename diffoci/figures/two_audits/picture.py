"""Two audits in one picture: from where each method stood in the first to where it stands in the second."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.two_audits.changes import MethodChange, TwoAudits
from diffoci.audit.words import listed, score_text
from diffoci.figures._label_positions import Placed, place_names
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import GREY, method_class, titled
from diffoci.figures.two_audits.words import JUDGEMENTS, Names, difference_text

HEIGHT = 460
TOO_FEW = "Too few people to say how well the attribute can be guessed; nothing is drawn."


def moves(found: TwoAudits, names: Names, *, attributes: tuple[str, str]) -> Drawing:
    """An arrow for every method, from the first audit (hollow) to the second; dotted where the move may be noise."""
    rows = [row for row in found.methods if row.attributes == attributes and row.guessed is not None]
    figure = go.Figure()
    x = [value for row in rows for value in _across(row)] or [0.5]
    y = [value for row in rows for value in (row.y.first, row.y.second)] or [0.5]
    x_range, y_range = _range([*x, 0.5]), _range(y)
    ends = [(_across(row)[1], row.y.second) for row in rows]
    called = place_names(
        [end[0] for end in ends],
        [end[1] for end in ends],
        [row.called for row in rows],
        x_range=x_range,
        y_range=y_range,
        avoid=[_last_part(row) for row in rows],
    )
    for row, name in zip(rows, called, strict=True):
        _add_move(figure, row, names, name)
    figure.add_vline(x=0.5, line={"color": GREY, "width": 2, "dash": "dot"}, name="chance")
    figure.add_annotation(x=0.5, y=0.02, yref="paper", text="chance", textangle=-90, yanchor="bottom", xshift=-9)
    who = " and ".join(dict.fromkeys(escape(name) for name in attributes))
    figure.update_xaxes(title_text=f"how well {who} can be guessed (AUC) →", range=x_range, tickformat=".2f")
    figure.update_yaxes(title_text="how well the outcome is predicted (accuracy)", range=y_range, tickformat=".0%")
    title = "From the first audit to the second\nhollow: first, arrow: second; solid: more than noise in guessing"
    figure.update_layout(title=titled(title), height=HEIGHT, margin={"t": 90})
    return Drawing(figure, _data(rows, names), _alt(rows, names, who) if rows else TOO_FEW)


def _last_part(row: MethodChange) -> tuple[float, float, float, float]:
    """The last part of a move, before its arrow's head, which its name should not lie on."""
    (x0, x1), (y0, y1) = _across(row), (row.y.first, row.y.second)
    return x1 - 0.2 * (x1 - x0), y1 - 0.2 * (y1 - y0), x1, y1


def _add_move(figure: go.Figure, row: MethodChange, names: Names, name: Placed) -> None:
    look, called = method_class(row.method), escape(row.called)
    (x0, x1), (y0, y1) = _across(row), (row.y.first, row.y.second)
    clear = row.guessed is not None and row.guessed.judgement == "more than noise"
    figure.add_scatter(
        x=[x0],
        y=[y0],
        mode="markers",
        marker={"symbol": f"{look.marker}-open", "size": 12, "color": look.colour, "line": {"width": 2}},
        name=called,
        legendgroup=row.method,
        hovertext=[_hover(row, escape(names[0]), 0)],
        hoverinfo="text",
    )
    figure.add_scatter(
        x=[x0, x1],
        y=[y0, y1],
        mode="lines+markers+text",
        text=["", escape(name.text)],
        textposition=name.position,
        cliponaxis=False,
        line={"color": look.colour, "width": 3 if clear else 2, "dash": "solid" if clear else "dot"},
        marker={
            "symbol": look.marker if (x0, y0) == (x1, y1) else "arrow",
            "size": [0, 17],
            "angleref": "previous",
            "color": look.colour,
            "opacity": 1,
        },
        legendgroup=row.method,
        showlegend=False,
        meta=row.method,
        hovertext=["", _hover(row, escape(names[1]), 1)],
        hoverinfo="text",
    )


def _across(row: MethodChange) -> tuple[float, float]:
    assert row.guessed is not None
    return row.guessed.first, row.guessed.second


def _hover(row: MethodChange, name: str, which: int) -> str:
    assert row.guessed is not None
    y, guessed = (change.first if which == 0 else change.second for change in (row.y, row.guessed))
    return (
        f"<b>{escape(row.called)}</b>, {name}<br>outcome {score_text(y, 'accuracy')}, "
        f"{escape(row.attributes[which])} {score_text(guessed, 'auc')}<br>"
        f"outcome: {difference_text(row.y.difference, 'accuracy')}, {JUDGEMENTS[row.y.judgement]}<br>"
        f"guessed: {difference_text(row.guessed.difference, 'auc')}, {JUDGEMENTS[row.guessed.judgement]}"
    )


def _range(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    pad = max(0.1 * (high - low), 0.02)
    return low - pad, high + pad


def _data(rows: list[MethodChange], names: Names) -> pd.DataFrame:
    columns = ["method", "score", "first", "second", "difference", "low", "high", "p_value", "judgement"]
    lines: list[dict[str, Any]] = []
    for row in rows:
        for score, change in (("Outcome accuracy", row.y), ("guessed AUC", row.guessed)):
            if change is not None:
                d = change.difference
                values = (row.method, score, change.first, change.second, d.value, d.low, d.high, d.p_value)
                lines.append(dict(zip(columns, (*values, change.judgement), strict=True)))
    return pd.DataFrame(lines, columns=columns).rename(columns={"first": names[0], "second": names[1]})


def _alt(rows: list[MethodChange], names: Names, who: str) -> str:
    parts = [
        f"{row.called} from {score_text(_across(row)[0], 'auc')} to {score_text(_across(row)[1], 'auc')}"
        for row in rows
    ]
    return f"How well {who} can be guessed in {names[0]} and in {names[1]}, AUC by method: {listed(parts)}."

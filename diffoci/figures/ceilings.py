"""Ceilings on Compare: a stroke that nobody gets beyond who receives a method's cells, and columns of the table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from diffoci.audit.certificates.words import TOO_FEW
from diffoci.audit.words import UNKNOWN, listed, score_text
from diffoci.figures.template import GREY
from diffoci.figures.view import Row, View

CEILING, FROM_CELLS = "Ceiling, from its cells", "Outcome accuracy, from its cells"
_STROKE = {"symbol": "line-ns-open", "size": 18, "line": {"width": 3}}


def known_ceilings(rows: Sequence[Row], view: View) -> list[tuple[Row, float]]:
    """The methods that have a ceiling in this view, each with it."""
    return [(row, most) for row in rows if (most := row.ceiling(view)) is not None and row.point() is not None]


def add_ceilings(figure: go.Figure, rows: Sequence[Row], view: View) -> None:
    """An upright stroke for each, on the height of the method's mark and joined to it where it lies to its right."""
    known = known_ceilings(rows, view)
    for row, most in known:
        if row.s.mean is not None and row.s.mean < most:  # towards the left it would strike names through
            figure.add_scatter(
                x=[row.s.mean, most],
                y=[row.y.mean, row.y.mean],
                mode="lines",
                line={"color": row.look.colour, "width": 1, "dash": "dot"},
                name="to the ceiling",
                legendgroup=row.name,
                hoverinfo="skip",
                showlegend=False,
            )
        figure.add_scatter(
            x=[most],
            y=[row.y.mean],
            mode="markers",
            marker={**_STROKE, "color": row.look.colour},
            name="ceiling",
            legendgroup=row.name,
            hovertext=[f"<b>{escape(row.title)}</b><br>{_said(row, view, most)}"],
            hoverinfo="text",
            showlegend=False,
        )
    for row, _ in known[:1]:
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={**_STROKE, "size": 14, "color": GREY},
            name=f"ceiling: nobody who receives only its cells gets beyond it ({_sure(row)})",
            hoverinfo="skip",
            legendrank=2002,
        )


def ceilings_alt(rows: Sequence[Row], view: View) -> str:
    """The strokes in words; empty where there are none."""
    known = [f"{row.called} {score_text(most, view.score)}" for row, most in known_ceilings(rows, view)]
    return f" What nobody who receives only the cells can exceed: {listed(known)}." if known else ""


def ceiling_columns(row: Row, view: View) -> dict[str, str]:
    """What nobody exceeds who receives the cells, and what they are good for; no columns where a view has none."""
    if view.place != "representation" or view.score == "accuracy":
        return {}
    if row.certificate is None or view.attribute not in row.certificate.by_attribute:
        return {CEILING: UNKNOWN, FROM_CELLS: UNKNOWN}
    most = row.ceiling(view)
    return {
        CEILING: TOO_FEW if most is None else score_text(most, view.score),
        FROM_CELLS: score_text(row.certificate.y_accuracy, "accuracy"),
    }


def _said(row: Row, view: View, most: float) -> str:
    cells = 0 if row.certificate is None else row.certificate.cells
    return (
        f"nobody who receives only its {cells} cells, whatever their method,<br>"
        f"guesses {escape(view.attribute)} better than {score_text(most, view.score)} ({_sure(row)})"
    )


def _sure(row: Row) -> str:
    return "" if row.certificate is None else f"{100 * row.certificate.confidence:g} % confidence"

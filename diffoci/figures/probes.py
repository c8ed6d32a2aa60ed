"""Probe by probe: a method that only a linear probe finds quiet is not quiet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.probes import PROBES
from diffoci.audit.result import AuditResult
from diffoci.audit.words import PLACES, SCORES, interval_text, listed, probe_title
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BAND, GREY, titled
from diffoci.figures.view import Row, View, over_repetitions, people_tested, rows_of, s_reference


def probes(result: AuditResult, view: View) -> Drawing:
    """Each probe's score by method; pairs that a linear probe alone would have passed are marked."""
    rows = rows_of(result, view)[::-1]
    fooled = fooled_in(result, view)
    figure = go.Figure()
    if view.score == "auc":
        _add_chance(figure, rows)
    else:
        figure.add_vline(x=s_reference(result, view), line={"color": GREY, "dash": "dot", "width": 2})
    for probe in dict.fromkeys(probe for row in rows for probe in row.found.probes):
        _add_probe(figure, probe, rows, view)
    ticks = [f"{'⚠ ' if row.name in fooled else ''}{escape(row.called)}" for row in rows]
    fmt, name = (".2f", "AUC") if view.score == "auc" else (".0%", SCORES[view.score].lower())
    figure.update_xaxes(title_text=f"how well {escape(view.attribute)} can be guessed ({name})", tickformat=fmt)
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=ticks, range=[-0.6, len(rows) - 0.3])
    seeds = max((len(row.seeds) for row in rows), default=0)
    note = "; ⚠ only the linear probe is at chance" if fooled else ""
    figure.update_layout(
        title=titled(
            f"Probe by probe, from {PLACES[view.place]}\n{people_tested(rows):,} people tested, "
            f"{over_repetitions(seeds)}; grey: chance{note}"
        ),
        height=160 + 42 * len(rows),
        margin={"t": 84},
    )
    called = [row.called for row in rows if row.name in fooled]
    marked = f"Only the linear probe is at chance for {listed(called)}." if called else ""
    alt = f"{SCORES[view.score]} of each probe guessing {view.attribute}, by method. {marked}".strip()
    return Drawing(figure, _data(rows, view, fooled), alt)


def fooled_in(result: AuditResult, view: View) -> set[str]:
    """Methods that only the linear probe finds quiet in this view."""
    finding = result.findings.guessed.get(view.attribute, {}).get(view.place)
    return {name for name, one in finding.methods.items() if one.only_linear_is_quiet} if finding else set()


def _add_chance(figure: go.Figure, rows: Sequence[Row]) -> None:
    """Draw what chance gives each method, all at once: Plotly checks every shape there is with each one it adds."""
    figure.update_layout(
        shapes=[
            {
                "type": "rect",
                "x0": row.found.null_auc_low,
                "x1": row.found.null_auc_high,
                "y0": position - 0.4,
                "y1": position + 0.4,
                "fillcolor": BAND,
                "line": {"width": 0},
                "layer": "below",
            }
            for position, row in enumerate(rows)
            if row.found.null_auc_high is not None
        ]
    )


def _add_probe(figure: go.Figure, probe: str, rows: Sequence[Row], view: View) -> None:
    known_probe = PROBES.get(probe)
    colour, marker = (GREY, "circle") if known_probe is None else (known_probe.colour, known_probe.marker)
    words = probe_title(probe)
    known = [
        (k, row, row.found.probes[probe].score(view.score)) for k, row in enumerate(rows) if probe in row.found.probes
    ]
    figure.add_scatter(
        x=[score.mean for _, _, score in known],
        y=[k for k, _, _ in known],
        mode="markers",
        marker={"symbol": marker, "size": 12, "color": colour},
        name=escape(words),
        hovertext=[
            f"<b>{escape(row.title)}</b><br>{words}: {interval_text(score, view.score)}" for _, row, score in known
        ],
        hoverinfo="text",
    )


def _data(rows: Sequence[Row], view: View, fooled: set[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "method": row.name,
                "probe": probe,
                "score": score.mean,
                "chance_up_to": row.found.null_auc_high,
                "low": score.low,
                "high": score.high,
                "only_linear_is_quiet": row.name in fooled,
            }
            for row in rows
            for probe, score in ((probe, rates.score(view.score)) for probe, rates in row.found.probes.items())
        ]
    )

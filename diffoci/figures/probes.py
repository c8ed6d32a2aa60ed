"""Probe by probe: a method that only a linear probe finds quiet is not quiet."""

from __future__ import annotations

from html import escape

import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.reading import Entry, Result, View, entries, people_tested, s_reference
from diffoci.figures.template import BAND, BLUE, GREEN, GREY, ORANGE, titled
from diffoci.figures.words import PLACES, PROBES, SCORES, interval_text, listed

LOOK = {"logistic": (ORANGE, "x"), "mlp": (GREEN, "diamond"), "boosting": (BLUE, "square")}


def only_linear(entry: Entry) -> bool:
    """Whether the logistic probe is within chance while another probe is above it."""
    high, probes = entry.found["null_auc_high"], entry.found["probes"]
    areas = {name: scores["auc"]["mean"] for name, scores in probes.items() if scores["auc"]["mean"] is not None}
    if high is None or "logistic" not in areas or areas["logistic"] > high:
        return False
    return any(area > high for name, area in areas.items() if name != "logistic")


def probes(result: Result, view: View) -> Drawing:
    """Each probe's score by method; pairs that a linear probe alone would have passed are marked."""
    found = entries(result, view)[::-1]
    names = [entry.short for entry in found]
    figure, rows = go.Figure(), []
    for position, entry in enumerate(found):
        low, high = entry.found["null_auc_low"], entry.found["null_auc_high"]
        if view.score == "auc" and high is not None:
            figure.add_shape(
                type="rect",
                x0=low,
                x1=high,
                y0=position - 0.4,
                y1=position + 0.4,
                fillcolor=BAND,
                line_width=0,
                layer="below",
            )
        for probe, scores in entry.found["probes"].items():
            one = scores[view.score]
            rows.append({"method": entry.name, "probe": probe, "score": one["mean"], "chance_up_to": high})
            rows[-1] |= {"low": one["low"], "high": one["high"], "only_linear_is_quiet": only_linear(entry)}
    if view.score != "auc":
        figure.add_vline(x=s_reference(result, view), line={"color": GREY, "dash": "dot", "width": 2})
    for probe in dict.fromkeys(str(row["probe"]) for row in rows):
        colour, marker = LOOK.get(probe, (GREY, "circle"))
        with_probe = [(k, entry) for k, entry in enumerate(found) if probe in entry.found["probes"]]
        ones = [entry.found["probes"][probe][view.score] for _, entry in with_probe]
        figure.add_scatter(
            x=[one["mean"] for one in ones],
            y=[k for k, _ in with_probe],
            mode="markers",
            marker={"symbol": marker, "size": 12, "color": colour},
            name=PROBES.get(probe, probe),
            hovertext=[
                f"<b>{entry.title}</b><br>{PROBES.get(probe, probe)}: {interval_text(one, view.score)}"
                for (_, entry), one in zip(with_probe, ones, strict=True)
            ],
            hoverinfo="text",
        )
    fooled = [entry for entry in found if only_linear(entry)]
    ticks = [f"⚠ {entry.short}" if entry in fooled else entry.short for entry in found]
    name = SCORES[view.score].lower() if view.score != "auc" else "AUC"
    figure.update_xaxes(title_text=f"how well {escape(view.attribute)} can be guessed ({name})")
    figure.update_xaxes(tickformat=".2f" if view.score == "auc" else ".0%")
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=ticks, range=[-0.6, len(names) - 0.3])
    seeds = max((len(entry.seeds) for entry in found), default=0)
    note = "; ⚠ only the linear probe is at chance" if fooled else ""
    figure.update_layout(
        title=titled(
            f"Probe by probe, from {PLACES[view.place]}\n{people_tested(found):,} people tested, "
            f"means of {seeds} seeds; grey: chance{note}"
        ),
        height=160 + 42 * len(names),
        margin={"t": 84},
    )
    marked = f"Only the linear probe is at chance for {listed([entry.short for entry in fooled])}." if fooled else ""
    alt = f"{SCORES[view.score]} of each probe guessing {view.attribute}, by method. {marked}".strip()
    return Drawing(figure, pd.DataFrame(rows), alt)

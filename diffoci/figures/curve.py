"""The trade-off: the main picture's axes with the weights of the penalty and of the adversary joined by lines."""

from __future__ import annotations

import pandas as pd

from diffoci.figures.compare import add_means, axes, hover
from diffoci.figures.drawing import Drawing
from diffoci.figures.labels import label_places
from diffoci.figures.reading import SHORT, Result, View, curve_entries, entries, people_tested
from diffoci.figures.template import method_class, titled


def curve(result: Result, view: View) -> Drawing | None:
    """The same axes with each method's weights joined by a line; None where the audit has no curve."""
    lines = curve_entries(result, view)
    if not lines:
        return None
    start = [entry for entry in entries(result, view) if entry.name == "standard" and entry.s["mean"] is not None]
    every = start + [entry for points in lines.values() for _, entry in points if entry.s["mean"] is not None]
    figure = axes(result, view, every, [e.s["mean"] for e in every], [e.y["mean"] for e in every])
    add_means(figure, start, view)
    rows = []
    for name, points in lines.items():
        known = [(weight, entry) for weight, entry in points if entry.s["mean"] is not None]
        look = method_class(name)
        x, y = [entry.s["mean"] for _, entry in known], [entry.y["mean"] for _, entry in known]
        texts = [f"{weight:g}" for weight, _ in known]
        x_range, y_range = figure.layout.xaxis.range, figure.layout.yaxis.range
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines+markers+text",
            text=texts,
            textposition=label_places(x, y, texts, x_range=x_range, y_range=y_range, width=430, height=250),
            marker={"symbol": look.marker, "size": 11, "color": look.colour},
            line={"color": look.colour, "width": 2},
            name=f"{SHORT.get(name, name)} (the number is its weight)",
            hovertext=[f"<b>{SHORT.get(name, name)}, weight {w:g}</b><br>{hover(e, view)}" for w, e in known],
            hoverinfo="text",
        )
        rows += [{"method": name, "weight": w, "y": e.y["mean"], "guessed": e.s["mean"]} for w, e in known]
    seeds = max((len(entry.seeds) for entry in every), default=0)
    figure.update_layout(
        title=titled(
            f"What a larger weight costs and brings\n{people_tested(every):,} people tested, {seeds} seeds a point"
        ),
        height=440,
        margin={"t": 90},
    )
    ends = [f"{SHORT.get(r['method'], r['method'])} at weight {r['weight']:g}: {r['guessed']:.2f}" for r in rows]
    return Drawing(
        figure, pd.DataFrame(rows), f"How well {view.attribute} can be guessed by weight. {'; '.join(ends)}."
    )

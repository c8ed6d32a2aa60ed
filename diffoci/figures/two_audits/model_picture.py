"""Two model audits in one picture: every gap in the first and in the second, with the interval of its change."""

from __future__ import annotations

from html import escape

import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, beside, shortened, titled
from diffoci.figures.two_audits.model_words import called
from diffoci.figures.two_audits.words import Names
from diffoci.model_audit.two_audits import GroupChange, TwoModelAudits
from diffoci.model_audit.words import RATES

MOST_SHOWN = 16  # gaps; the table has all


def gap_moves(found: TwoModelAudits, names: Names) -> Drawing:
    """A line for every gap in being selected, from the first audit to the second; dotted where it may be noise."""
    shown = [entry for entry in found.gaps if entry.measure == "selection_rate"][:MOST_SHOWN][::-1]
    several = len({entry.models for entry in shown}) > 1
    labels = [_label(entry, several=several) for entry in shown]
    figure = go.Figure()
    for place, entry in enumerate(shown):
        change = entry.change
        clear = change.judgement == "more than noise"
        colour = BLUE if clear else GREY
        figure.add_scatter(
            x=[100 * change.first, 100 * change.second],
            y=[place, place],
            mode="lines+markers",
            line={"color": colour, "width": 3 if clear else 2, "dash": "solid" if clear else "dot"},
            marker={
                "symbol": ["circle-open", "circle"],
                "size": [12, 12],
                "color": colour,
                "line": {"width": 2, "color": colour},
                "opacity": 1,
            },
            hovertext=[_hover(entry, names, which) for which in (0, 1)],
            hoverinfo="text",
            showlegend=False,
        )
    figure.add_vline(x=0, line={"color": GREY, "width": 1.5, "dash": "dot"})
    title = "Gaps in being selected\nhollow: first audit, filled: second; blue and solid: more than noise"
    figure.update_layout(
        title=titled(title), height=150 + 44 * max(len(shown), 2), margin={"t": 84, "l": beside(labels), "b": 60}
    )
    figure.update_xaxes(title_text="points more often selected than the reference", ticksuffix=" ")
    figure.update_yaxes(
        tickvals=list(range(len(shown))), ticktext=[escape(label) for label in labels], automargin=False,
        range=[-0.6, max(len(shown), 1) - 0.4],
    )  # fmt: skip
    columns = ["group", "reference", "model", *names, "difference", "low", "high", "judgement"]
    rows = [
        (e.group, e.reference, called(e.models), e.change.first, e.change.second, e.change.difference.value,
         e.change.difference.low, e.change.difference.high, e.change.judgement)
        for e in shown[::-1]
    ]  # fmt: skip
    told = "; ".join(
        f"{e.group} minus {e.reference}: {100 * e.change.first:.1f}, then {100 * e.change.second:.1f}, "
        f"{e.change.judgement}"
        for e in shown[::-1]
    )
    return Drawing(figure, pd.DataFrame(rows, columns=columns), f"Gaps in being selected, in points: {told or 'none'}.")


def _label(entry: GroupChange, *, several: bool) -> str:
    model = f", {shortened(called(entry.models))}" if several else ""
    return f"{shortened(entry.group)} minus {shortened(entry.reference or '')}{model}"


def _hover(entry: GroupChange, names: Names, which: int) -> str:
    value = (entry.change.first, entry.change.second)[which]
    who = f"<b>{escape(entry.group)} minus {escape(entry.reference or '')}</b>, {escape(called(entry.models))}"
    return (
        f"{who}<br>{RATES[entry.measure]}: {100 * value:.1f} points in {escape(names[which])}<br>"
        f"{entry.change.judgement}"
    )

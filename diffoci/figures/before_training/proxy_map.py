"""Every feature against every attribute: shades of how far one gives the other away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.result import ExactViews
from diffoci.audit.words import listed
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import SHADES, titled

if TYPE_CHECKING:  # what computes them loads torch
    from diffoci.audit.before_training.proxies import Proxies

LEVEL = 0.05  # of the tests that audits store
_ROW_PIXELS = 26


@dataclass(frozen=True)
class _Cell:
    """What one feature tells of one attribute, from nothing (`zero`) up; shaded where it was `seen` to."""

    feature: str
    attribute: str
    value: float
    p_value: float | None
    seen: bool
    text: str
    measure: str
    zero: float = 0.0


def heat_map(views: ExactViews, labels: Mapping[str, str]) -> Drawing:
    """T(S_k, X_j) as an audit stores it, with its p-value; what shuffled labels could give is left unshaded."""
    lines = []
    for name, view in sorted(views.columns.items(), key=lambda item: item[1].strongest):
        line = []
        for attribute, told in view.sensitive.items():
            seen = told.p_value is not None and told.p_value <= LEVEL
            text = f"{f'{told.T:.2f}' if seen else '·'} (p {p_text(told.p_value)})"
            line.append(_Cell(name, attribute, told.T, told.p_value, seen, text, "T"))
        lines.append(line)
    title = (
        f"How much each feature reveals about an attribute: T(S, X)\n{views.rows:,} rows; "
        f"·: no more than shuffled labels give one of the features (p above {LEVEL:g})"
    )
    return _drawn(lines, labels, title)


def auc_map(found: Proxies, labels: Mapping[str, str]) -> Drawing:
    """The AUC of guessing every attribute from every column alone; shaded where the column reveals it."""
    lines = []
    for name in dict.fromkeys(name for traces in found.attributes.values() for name in traces.columns):
        line = []
        for attribute, traces in found.attributes.items():
            one = traces.columns[name]
            value = 0.5 if one.auc is None else one.auc
            together = " with others" if traces.partners(name) else ""
            text = f"{value:.2f}{together}" if one.reveals() or together else f"({value:.2f})"
            line.append(_Cell(name, attribute, value, one.p_value, one.reveals(), text, "AUC", 0.5))
        lines.append(line)
    lines.sort(key=lambda line: max((cell.value for cell in line if cell.seen), default=0.0))
    title = (
        f"Guessing from one column alone: AUC\n{found.rows:,} rows; 0.50 is chance; "
        "in brackets: nothing detected here; with others: reveals only together with another column"
    )
    return _drawn(lines, labels, title)


def _drawn(lines: Sequence[Sequence[_Cell]], labels: Mapping[str, str], title: str) -> Drawing:
    cells = [cell for line in lines for cell in line]
    figure = go.Figure(_shades(lines, labels))
    figure.add_scatter(
        x=[escape(cell.attribute) for cell in cells],
        y=[escape(cell.feature) for cell in cells],
        mode="text",
        text=[cell.text for cell in cells],
        hoverinfo="skip",
        showlegend=False,
    )
    # Said to be categories: columns of the names "1", "2", "10" would else be put where those numbers are.
    figure.update_yaxes(showgrid=False, dtick=1, range=[-0.5, len(lines) - 0.5], type="category")
    figure.update_xaxes(showgrid=False, side="top", type="category")
    figure.update_layout(title=titled(title), height=150 + _ROW_PIXELS * len(lines), margin={"t": 92})
    measure = cells[0].measure if cells else "T"
    data = pd.DataFrame(
        [
            {"feature": cell.feature, "attribute": cell.attribute, measure: cell.value, "p_value": cell.p_value}
            for line in lines[::-1]
            for cell in line
        ]
    )
    first = [line[0].feature for line in lines[::-1] if any(cell.seen for cell in line)][:3]
    attributes = list(dict.fromkeys(cell.attribute for cell in cells))
    return Drawing(figure, data, f"{measure} of every feature for {listed(attributes)}; strongest: {listed(first)}.")


def _shades(lines: Sequence[Sequence[_Cell]], labels: Mapping[str, str]) -> go.Heatmap:
    """The darker, the more a feature tells; what it tells on hovering."""
    first = lines[0][0] if lines and lines[0] else None
    return go.Heatmap(
        z=[[max(cell.value, cell.zero) if cell.seen else None for cell in line] for line in lines],
        x=[escape(cell.attribute) for cell in lines[0]] if lines else [],
        y=[escape(line[0].feature) for line in lines if line],
        colorscale=SHADES,
        # Both ends, or Plotly takes neither and paints the weakest column that reveals as if it did not.
        zmin=first.zero if first else 0,
        zmax=max((cell.value for line in lines for cell in line if cell.seen), default=1.0),
        xgap=2,
        ygap=2,
        hoverongaps=True,
        hovertext=[
            [
                f"<b>{escape(cell.feature)}</b>: {escape(labels.get(cell.feature, cell.feature))}<br>"
                f"{cell.measure} for {escape(cell.attribute)} = {cell.value:.3f}, p = {p_text(cell.p_value)}<br>"
                f"{cell.zero:g}: says nothing about {escape(cell.attribute)}; 1: reveals it completely"
                for cell in line
            ]
            for line in lines
        ],
        hoverinfo="text",
        colorbar={"title": {"text": first.measure if first else "T"}, "thickness": 12},
    )


def p_text(value: float | None) -> str:
    """A p-value as a table has it.

    >>> p_text(0.012), p_text(None)
    ('0.01', 'unknown')
    """
    return "unknown" if value is None or value != value else f"{value:.2f}"

"""Figures of the paper beside ours: one dot with its interval for every method, a hollow diamond for the paper's."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.result import Mean
from diffoci.figures._error_bars import error_bars
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, VERMILLION, beside, titled
from diffoci.labs.feature_selection.downstream import WORDS
from diffoci.labs.reproducible import MORE_THAN_VEC, Row

_ROW_HEIGHT = 26
_MORE = "more than vec-dF1, same draws"
_PARTS = {"train": "training rows", "validation": "validation rows", "test": "test rows"}
_MEASURES = {
    **WORDS,
    **{f"y_accuracy_{part}": f"outcome predicted, {rows} (accuracy in %)" for part, rows in _PARTS.items()},
    **{f"S_accuracy_{part}": f"attribute guessed, {rows} (accuracy in %)" for part, rows in _PARTS.items()},
    "drop": "points less in the other domain",
    "train_accuracy": "accuracy on training rows (%)",
    "test_accuracy": "accuracy on test rows of the same domain (%)",
    "outside_accuracy": "accuracy in the other domain (%)",
    "dropped": "features dropped",
    "same_names": "share of names that both drop",
    "correct_subset": "share of draws with exactly the correct columns",
}


def measured(measure: str) -> str:
    """What a measure of a row is called, for a reader."""
    return _MEASURES.get(measure, measure.replace("_", " "))


def studies_of(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """Rows by the data and the measure that they share: each is a picture of its own."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.study, row.measure), []).append(row)
    return found


def paper_figure(rows: Sequence[Row]) -> Drawing:
    """Rows of one data set and measure."""
    shown = [row for row in rows if row.value.mean is not None]
    names = [row.method for row in shown]
    measure = measured(shown[0].measure) if shown else ""
    figure = go.Figure(layout={"title": titled(measure[:1].upper() + measure[1:])})
    limits = [
        (row.value.mean, row.value.mean if low is None else low, row.value.mean if high is None else high)
        for row in shown
        if row.value.mean is not None
        for low, high in [(row.value.low, row.value.high)]
    ]
    figure.add_scatter(
        x=[row.value.mean for row in shown],
        y=names,
        error_x=error_bars(limits, thickness=1.5, width=4),
        mode="markers",
        marker={"color": BLUE, "size": 9},
        name="here, with 95 % interval",
        hovertemplate="%{y}: %{x:.3f}<extra></extra>",
    )
    known = [row for row in shown if row.paper is not None]
    figure.add_scatter(
        x=[row.paper for row in known],
        y=[row.method for row in known],
        mode="markers",
        marker={"symbol": "diamond-open", "color": VERMILLION, "size": 11, "line": {"width": 2}},
        name="the paper",
        hovertemplate="%{y}, the paper: %{x:.3f}<extra></extra>",
    )
    figure.update_xaxes(title=measure, rangemode="tozero")
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1])
    figure.update_layout(height=150 + _ROW_HEIGHT * len(names), margin={"l": beside(names)})
    return Drawing(figure, paper_frame(rows), _alt(shown, measure))


def paper_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """The same rows as a table."""
    frame = pd.DataFrame(
        [
            {
                "method": row.method,
                "here": row.value.mean,
                "low": row.value.low,
                "high": row.value.high,
                "paper": row.paper,
                "agreement": row.agreement,
                "reason": row.reason if row.agreement == "differs" else "",
                _MORE: with_interval(row.more.get(MORE_THAN_VEC)),
            }
            for row in rows
        ]
    )
    return frame if frame.get(_MORE, pd.Series()).any() else frame.drop(columns=_MORE, errors="ignore")


def with_interval(one: Mean | None) -> str:
    """A mean with its interval, in words.

    >>> with_interval(Mean(0.00412, 0.0016, 0.0067, ())), with_interval(Mean(0.5, None, None, ()))
    ('0.0041 (0.0016 to 0.0067)', '0.5')
    """
    if one is None or one.mean is None:
        return ""
    return f"{one.mean:.2g}" + ("" if one.low is None or one.high is None else f" ({one.low:.2g} to {one.high:.2g})")


def _alt(rows: Sequence[Row], measure: str) -> str:
    if not rows:
        return "No figures."
    best = min(rows, key=lambda row: row.value.mean or 0.0)
    differing = sum(row.agreement == "differs" for row in rows)
    known = sum(row.paper is not None for row in rows)
    return (
        f"{rows[0].study}: {measure} of {len(rows)} methods; the lowest is {best.method} with {best.value.mean:.3f}. "
        f"The paper has a figure for {known} of them, and {differing} of those differ from ours."
    )

"""Read the figures and tables of a page."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
from streamlit.testing.v1 import AppTest


def figures(app: AppTest) -> list[go.Figure]:
    """All figures, in the order of the page."""
    return [pio.from_json(chart.proto.spec) for chart in app.get("plotly_chart")]


def figure_about(app: AppTest, words: str) -> go.Figure:
    """The one figure whose title has these words."""
    (found,) = [figure for figure in figures(app) if words in (figure.layout.title.text or "")]
    return found


def wrapped(app: AppTest, column: str) -> pd.DataFrame:
    """The table that breaks lines and has this column, as a reader sees it: numbers as texts, nothing escaped."""
    tables = (one.value.rename(columns=_read).map(_read) for one in app.table)
    return next(table for table in tables if column in table)


def _read(markdown: object) -> str:
    return str(markdown).replace("\\", "")

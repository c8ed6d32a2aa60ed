"""Read the figures of a page."""

from __future__ import annotations

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

"""Drawing: a figure together with the numbers in it and the words for those who cannot see it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure without colours of a theme (see `diffoci.figures.themed`).

    Parameters
    ----------
    figure : Figure
        What is drawn.
    data : DataFrame
        The numbers drawn, one row a mark, for download.
    alt : str
        What the figure shows, in one or two sentences.
    """

    figure: go.Figure
    data: pd.DataFrame
    alt: str

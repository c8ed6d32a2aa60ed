"""Charts and tables with a text alternative and their numbers to take away."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from diffoci.figures.template import themed
from diffoci.report.harmless_csv import harmless_csv

_CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"]}


def show_figure(figure: Any, *, alt: str, data: pd.DataFrame | None, key: str) -> None:
    """Draw a Plotly figure as wide as the page, in the colours of the theme.

    Parameters
    ----------
    alt : str
        What the picture shows, in a sentence, for those who do not see it.
    data : DataFrame or None
        The numbers behind it, offered as a CSV file.
    key : str
        Unique on the page; also the file's name.
    """
    themed(figure, dark=is_dark())
    st.plotly_chart(figure, width="stretch", key=key, alt=alt, config=_CONFIG, theme=None)
    if data is not None:
        _offer(data, key)


def is_dark() -> bool:
    """Say whether the reader's browser shows the dark theme."""
    return st.context.theme.type == "dark"


def show_table(frame: pd.DataFrame, *, key: str, alt: str | None = None, **options: Any) -> None:
    """Show a table with its numbers to take away."""
    st.dataframe(frame, width="stretch", hide_index=True, key=key, alt=alt, **options)
    _offer(frame, f"{key}-csv")


def _offer(data: pd.DataFrame, key: str) -> None:
    st.download_button(
        "Numbers as CSV",
        harmless_csv(data),
        file_name=f"{key.removesuffix('-csv')}.csv",
        mime="text/csv",
        key=f"{key}-download",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
    )

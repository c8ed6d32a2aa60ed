"""Drawings and tables: in the colours of the theme, with words for those who cannot see them, numbers to take away."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
import streamlit as st

from diffoci.figures import Drawing, themed
from diffoci.report.harmless_csv import harmless_csv

_SHOWN_WHOLE = 24  # rows
_CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"]}


def show_drawing(drawing: Drawing, *, key: str, clickable: bool = False, offer: bool = True) -> str | None:
    """Draw as wide as there is room; with `clickable` return the name (first of its custom data) of a clicked mark."""
    options: dict[str, Any] = {"on_select": "rerun", "selection_mode": "points"} if clickable else {}
    found = st.plotly_chart(
        themed(drawing.figure, dark=st.context.theme.type == "dark"),
        width="stretch",
        theme=None,
        key=key,
        alt=drawing.alt,
        config=_CONFIG,
        **options,
    )
    if offer:
        _offer(drawing.data, key)
    return _clicked(found) if clickable else None


def show_table(frame: pd.DataFrame, *, key: str, alt: str | None = None, **options: Any) -> None:
    """Show a table with its numbers to take away; a short one is shown whole."""
    height: Literal["content", "auto"] = "content" if len(frame) <= _SHOWN_WHOLE else "auto"
    st.dataframe(frame, width="stretch", height=height, hide_index=True, key=key, alt=alt, **options)
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


def _clicked(found: Any) -> str | None:
    points = found.get("selection", {}).get("points", []) if hasattr(found, "get") else []
    named = points[0].get("customdata") if points else None
    if isinstance(named, dict):
        named = list(named.values())
    return str(named[0]) if isinstance(named, list) and named else named if isinstance(named, str) else None

"""Drawings and tables: in the colours of the theme, with words for those who cannot see them, numbers to take away."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal

import pandas as pd
import streamlit as st

from diffoci.figures import Drawing, themed
from diffoci.report.writing.harmless_csv import harmless_csv
from diffoci.ui.words import plain_markdown

_SHOWN_WHOLE = 24  # rows
_MOST_WRAPPED, _HIGHEST = 400, 760  # rows of a table that breaks lines, and pixels from which on it is scrolled
_WRAPPED = 66  # pixels of a row from which on Streamlit breaks lines in a table
_LETTER, _CELL_MARGINS, _WIDEST = 6.6, 22, 240  # pixels in a table: of text, beside it, and of a column of verdicts
_NOTHING = "–"  # in a cell without a value
_CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"]}


def show_drawing(
    drawing: Drawing, *, key: str, on_click: Callable[[str], None] | None = None, offer: bool = True
) -> None:
    """Draw as wide as there is room; `on_click` is told the name (first of its custom data) of a clicked mark."""
    options: dict[str, Any] = {}
    if on_click is not None:
        options = {"on_select": lambda: _tell_click(key, on_click), "selection_mode": "points"}
    st.plotly_chart(
        themed(drawing.figure, dark=st.context.theme.type == "dark"),
        width="stretch",
        theme=None,
        key=key,
        alt=drawing.alt,
        config=_CONFIG,
        **options,
    )
    if offer:
        offer_csv(drawing.data, key)


def show_table(
    frame: pd.DataFrame, *, key: str, alt: str | None = None, verdict: str | None = None, **options: Any
) -> None:
    """Show a table with its numbers to take away; a short one is shown whole.

    A column of verdicts is the second, which narrow windows keep. It has room for the longest of them, on several lines
    where one would be too wide for a telephone.
    """
    if verdict is not None and len(frame):
        frame = _verdict_second(frame, verdict)
        options |= _uncut(frame[verdict])
    height: Literal["content", "auto"] = "content" if len(frame) <= _SHOWN_WHOLE else "auto"
    st.dataframe(frame, width="stretch", height=height, hide_index=True, key=key, alt=alt, **options)
    offer_csv(frame, f"{key}-csv")


def show_wrapped(frame: pd.DataFrame, *, key: str, alt: str | None = None, verdict: str | None = None) -> None:
    """Show a table of few columns whose cells break lines, so that no window has to be scrolled sideways.

    One of many rows is scrolled down instead; one of very many would take a browser too long to lay out. A column of
    verdicts is the second.
    """
    if len(frame) > _MOST_WRAPPED:
        show_table(frame, key=key, alt=alt, verdict=verdict)
        return
    frame = frame if verdict is None or not len(frame) else _verdict_second(frame, verdict)
    height: Literal["content"] | int = "content" if len(frame) <= _SHOWN_WHOLE else _HIGHEST
    text = frame.apply(_column_texts, result_type="expand")
    st.table(text.map(plain_markdown).rename(columns=plain_markdown), alt=alt, hide_index=True, height=height)
    offer_csv(frame, f"{key}-csv")


def _verdict_second(frame: pd.DataFrame, verdict: str) -> pd.DataFrame:
    first, *others = (name for name in frame if name != verdict)
    return frame[[first, verdict, *others]]


def _column_texts(column: pd.Series) -> list[Any]:
    """A column's cells as they are read: its numbers with as many digits as the one that needs most.

    >>> _column_texts(pd.Series([0.5, -0.25, None])), _column_texts(pd.Series([1842, "38.7 %"]))
    (['0.50', '−0.25', '–'], ['1,842', '38.7 %'])
    """
    numbers = [cell for cell in column if _is_number(cell)]
    digits = max((len(f"{cell:.10f}".rstrip("0").partition(".")[2]) for cell in numbers), default=0)
    return [_number_text(cell, digits) if _is_number(cell) else _NOTHING if pd.isna(cell) else cell for cell in column]


def _number_text(number: Any, digits: int) -> str:
    text = f"{number:,.{0 if isinstance(number, Integral) else digits}f}"
    return text.replace("-", "−") if text.strip("-0.,") else text.removeprefix("-")


def _is_number(cell: Any) -> bool:
    return isinstance(cell, Real) and not pd.isna(cell)  # type: ignore[call-overload]


def _uncut(texts: pd.Series) -> dict[str, Any]:
    """How a table is told to cut none of the texts of one column."""
    longest = _LETTER * max(len(str(text)) for text in (texts.name, *texts))
    width = min(_CELL_MARGINS + longest, _WIDEST)
    lines = math.ceil(longest / (_WIDEST - _CELL_MARGINS))
    column = {str(texts.name): st.column_config.TextColumn(width=round(width))}
    return {"column_config": column, **({"row_height": max(_WRAPPED, 14 + 21 * lines)} if lines > 1 else {})}


def offer_csv(data: pd.DataFrame, key: str) -> None:
    """Let the reader take numbers away."""
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


def _tell_click(key: str, on_click: Callable[[str], None]) -> None:
    """Pass on the name of the mark just clicked; a mark that was let go of has none."""
    points = st.session_state[key].get("selection", {}).get("points", [])
    named = points[0].get("customdata") if points else None
    if isinstance(named, dict):
        named = list(named.values())
    if isinstance(named, list) and named:
        named = named[0]
    if isinstance(named, str):
        on_click(named)

"""A first look at a table of one's own: its first rows, and advice on columns that are not what they seem."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from diffoci.data.tables._csv_files import read_table
from diffoci.data.tables.columns import MAX_LEVELS_ON_REQUEST, counts_rows, normalise

Remedy = Literal["leave out", "categories"]
_FIRST_ROWS = 5
_FEWEST_CODES = 3  # two values are the same to every method, as a number or as categories
_ENOUGH_ROWS = 50
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_NAMES_OF_CODES = {
    *("branch", "category", "code", "codes", "county", "department", "district", "id", "industry", "job", "kind"),
    *("occupation", "plz", "postal", "postcode", "region", "sector", "state", "type", "zip", "zipcode"),
}
_NAMES_OF_ROWS = {"id", "identifier", "key", "no", "nr", "number", "uuid"}


@dataclass(frozen=True)
class Advice:
    """What is odd about a column, in words that go on "column …", and what to do about it."""

    column: str
    reason: str
    remedy: Remedy


@dataclass(frozen=True)
class Overview:
    """A file as it was read; `codes` are the columns of numbers that could be categories."""

    rows: int
    columns: tuple[str, ...]
    first: pd.DataFrame
    codes: tuple[str, ...]
    advice: tuple[Advice, ...]


def look_over(path: str) -> Overview:
    """Read a table and say what is in it before anybody named the roles of its columns."""
    table = read_table(path).table
    numbers = {name: values for name in table.column_names if (values := _whole_numbers(table[name])) is not None}
    distinct = {name: len(np.unique(values)) for name, values in numbers.items()}
    found = [_advice(name, values, distinct[name], table.num_rows) for name, values in numbers.items()]
    return Overview(
        rows=table.num_rows,
        columns=tuple(table.column_names),
        first=_as_text(table.slice(0, _FIRST_ROWS)),
        codes=tuple(name for name, count in distinct.items() if _FEWEST_CODES <= count <= MAX_LEVELS_ON_REQUEST),
        advice=tuple(one for one in found if one is not None),
    )


def _whole_numbers(column: pa.ChunkedArray) -> np.ndarray | None:
    """The values that are there, if all of them are whole numbers."""
    try:
        plain = normalise(column)
    except pa.ArrowException:
        return None
    if not pa.types.is_float64(plain.type) or plain.null_count == len(plain):
        return None
    values: np.ndarray = plain.drop_null().to_numpy()
    return values if np.isfinite(values).all() and (values == np.floor(values)).all() else None


def _advice(name: str, values: np.ndarray, distinct: int, rows: int) -> Advice | None:
    if len(values) == rows and counts_rows(values):
        return Advice(name, "counts the rows", "leave out")
    parts = {part.lower() for part in _PARTS.findall(name)}
    if distinct == rows >= _ENOUGH_ROWS and parts & _NAMES_OF_ROWS:
        return Advice(name, "has another value in every row, as an identifier has", "leave out")
    if parts & _NAMES_OF_CODES and _FEWEST_CODES <= distinct <= min(MAX_LEVELS_ON_REQUEST, rows // 2):
        return Advice(name, "looks like a code, not a quantity", "categories")
    return None


def _as_text(table: pa.Table) -> pd.DataFrame:
    """Cells as they stand in the file, or nearly: whatever a cell holds can be shown as text."""
    cells = {}
    for name in table.column_names:
        try:
            cells[name] = ["" if cell is None else str(cell) for cell in table[name].to_pylist()]
        except (pa.ArrowException, ValueError, OverflowError):
            cells[name] = ["(cannot be shown)"] * table.num_rows
    return pd.DataFrame(cells, dtype="object")

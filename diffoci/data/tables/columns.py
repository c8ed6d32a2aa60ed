"""Decide what each column of an unknown table is: a number, ordered or nominal levels, or unusable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data._levels import levels_series
from diffoci.data.dataset import Kind
from diffoci.data.tables._csv_files import MISSING
from diffoci.data.tables._whole_numbers import are_merged, may_be_merged
from diffoci.inputs import MOST_WHOLE
from diffoci.plain_text import LONGEST_NAME

MAX_LEVELS = 200
MAX_LEVELS_ON_REQUEST = 1000
# Numbers of this size can be divided by their spread; a column whose largest is smaller cannot.
SMALLEST_NUMBER, LARGEST_NUMBER = 1e-290, 1e290
_ROWS_TO_COUNT = 50  # fewer could go up by one for another reason
_WHOLE = re.compile(r"[+-]?\d{1,500}")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?")


class Unusable(Exception):
    """Why a column can be neither a number nor a few levels."""


@dataclass(frozen=True)
class TypedColumn:
    """A column ready for a Dataset; `empty` where every cell is missing."""

    kind: Kind
    values: pd.Series
    empty: bool = False


def type_column(name: str, column: pa.ChunkedArray, *, kind: Kind | None = None) -> TypedColumn:
    """Give a column the asked kind, or the one its values suggest.

    Raises
    ------
    Unusable
        Where it holds free text, dates, infinite values or things that are no values of a table.
    """
    try:
        plain = normalise(column)
    except pa.ArrowException as problem:
        raise Unusable(f"'{name}' holds values that cannot be read") from problem
    if plain.null_count == len(plain):
        return TypedColumn("number", pd.Series(np.full(len(plain), np.nan)), empty=True)
    if pa.types.is_temporal(plain.type) or (pa.types.is_string(plain.type) and _looks_like_dates(plain)):
        raise Unusable(f"'{name}' holds dates or times")
    if kind == "number" and pa.types.is_string(plain.type):
        plain = _numbers_asked_for(name, plain)
    if pa.types.is_float64(plain.type):
        _refuse_infinite(name, plain)
        if kind in (None, "number"):
            _refuse_out_of_reach(name, plain)
            return TypedColumn("number", pd.Series(plain.to_numpy()))
    elif not pa.types.is_string(plain.type):
        raise Unusable(f"'{name}' holds lists, structures or raw bytes")
    if (letters := longest_text(plain)) > LONGEST_NAME:
        raise Unusable(f"'{name}' has a text of {letters:,} letters, as free text has")
    ordered = kind == "ordered" or (kind is None and _is_ordered(column))
    values = as_levels(plain, ordered=ordered)
    _refuse_free_text(name, len(values.cat.categories), len(plain), asked=kind is not None)
    return TypedColumn("ordered" if ordered else "nominal", values)


def normalise(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Reduce Arrow's many types to double and trimmed string; leave what is neither as it is.

    Whole numbers too large for double precision are texts: it would take different ones for the same.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return normalise(pc.cast(column, kind.value_type))
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return pc.cast(column, pa.string())
    if not pa.types.is_floating(kind) and may_be_merged(column):
        return pc.cast(column, pa.string())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _blank_nan(pc.cast(column, pa.float64(), safe=False))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _normalise_text(pc.cast(column, pa.string()))
    return column


def _blank_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)


def _normalise_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    trimmed = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(trimmed, value_set=pa.array(MISSING))
    text = pc.if_else(missing, pa.scalar(None, pa.string()), trimmed)
    if text.null_count == len(text):
        return text
    try:  # numbers that a question mark or a space had turned into text
        pc.cast(text.drop_null().slice(0, 100), pa.float64())  # a failing cast of a long column is slow
        numbers = pc.cast(text, pa.float64())
    except pa.ArrowException:
        return text
    return text if may_be_merged(numbers) and are_merged(text) else _blank_nan(numbers)


def longest_text(plain: pa.ChunkedArray) -> int:
    """Return how many letters the longest text of a normalised column has."""
    return (pc.max(pc.utf8_length(plain)).as_py() or 0) if pa.types.is_string(plain.type) else 0


def _numbers_asked_for(name: str, plain: pa.ChunkedArray) -> pa.ChunkedArray:
    try:  # whoever asks for numbers means them, however large they are
        return _blank_nan(pc.cast(plain, pa.float64()))
    except pa.ArrowException as problem:
        raise Unusable(f"'{name}' cannot be read as numbers") from problem


def as_levels(plain: pa.ChunkedArray, *, ordered: bool = False) -> pd.Series:
    """Turn a normalised column into levels: numbers in numeric order, text in alphabetic order."""
    encoded = pc.dictionary_encode(plain).combine_chunks()
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=_sizes(values).__getitem__)
    place = np.empty(len(values) + 1, dtype=np.int64)
    place[order] = np.arange(len(values))
    place[-1] = -1
    codes = place[pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)]
    return levels_series(codes, _distinct_texts([values[position] for position in order]), ordered=ordered)


def _sizes(values: list[Any]) -> list[Any]:
    """What values are sorted by: themselves, but for whole numbers that are texts because they are large."""
    return list(map(int, values)) if all(map(_WHOLE.fullmatch, map(str, values))) else values


def _distinct_texts(values: list[str] | list[float]) -> list[str]:
    return [value if isinstance(value, str) else number_text(value) for value in values]


def number_text(value: float) -> str:
    """Write a number as a person would: 3 and not 3.0.

    >>> number_text(3.0), number_text(0.25)
    ('3', '0.25')
    """
    return str(int(value)) if value.is_integer() and abs(value) < MOST_WHOLE else repr(value)


def _is_ordered(column: pa.ChunkedArray) -> bool:
    return pa.types.is_dictionary(column.type) and bool(column.type.ordered)


def counts_rows(values: np.ndarray) -> bool:
    """Say whether numbers go up by one from row to row, as the number of a row does."""
    return len(values) >= _ROWS_TO_COUNT and bool((np.diff(values) == 1).all())


def _looks_like_dates(plain: pa.ChunkedArray) -> bool:
    sample = plain.drop_null().slice(0, 100).to_pylist()
    return all(_DATE.fullmatch(text) for text in sample)


def _refuse_infinite(name: str, plain: pa.ChunkedArray) -> None:
    infinite = pc.index(pc.fill_null(pc.is_inf(plain), False), True).as_py()
    if infinite >= 0:
        raise Unusable(f"'{name}' holds infinite values, first in row {infinite + 1:,}")


def _refuse_out_of_reach(name: str, plain: pa.ChunkedArray) -> None:
    """Refuse numbers that cannot be standardised in double precision."""
    ends = [abs(end) for end in pc.min_max(plain).as_py().values()]
    if max(ends) > LARGEST_NUMBER:
        raise Unusable(f"'{name}' holds numbers beyond {LARGEST_NUMBER:g}, which cannot be computed with")
    if 0 < max(ends) < SMALLEST_NUMBER:
        raise Unusable(f"'{name}' holds numbers below {SMALLEST_NUMBER:g} only, which cannot be computed with")


def _refuse_free_text(name: str, levels: int, rows: int, *, asked: bool) -> None:
    # Whoever asks for levels (occupation codes, say) means it; unasked, text must repeat itself.
    limit = MAX_LEVELS_ON_REQUEST if asked else min(MAX_LEVELS, max(20, rows // 2))
    if levels > limit:
        raise Unusable(f"'{name}' has {levels:,} different values in {rows:,} rows, as free text has")


def check_kinds(kinds: Mapping[str, str], names: list[str]) -> None:
    """Refuse kinds for columns that do not exist and kinds that do not exist."""
    for name, kind in kinds.items():
        if name not in names:
            raise ValueError(f"'{name}' is not a column of the file; columns are {', '.join(names)}.")
        if kind not in ("number", "ordered", "nominal"):
            raise ValueError(f"'{kind}' is not a kind of column; choose number, ordered or nominal.")

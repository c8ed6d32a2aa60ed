"""New rows as they come from a file or a program, given the types an encoder was fitted on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from diffoci.data.encoding import ColumnCode
from diffoci.data.tables.columns import number_text


def as_encoded_from(frame: pd.DataFrame, codes: Sequence[ColumnCode]) -> pd.DataFrame:
    """The columns an encoder knows: numbers as float64, levels as categoricals of strings; others are left out.

    >>> code = ColumnCode("c", "nominal", True, ("1", "2"), 0.0, 0.0, 1.0, False)
    >>> as_encoded_from(pd.DataFrame({"c": [2.0, None, 7.0], "id": [1, 2, 3]}), [code])["c"].tolist()
    ['2', nan, '7']
    """
    if absent := [code.name for code in codes if code.name not in frame]:
        raise ValueError(f"The rows lack {', '.join(absent)}.")
    if twice := [code.name for code in codes if isinstance(frame[code.name], pd.DataFrame)]:
        raise ValueError(f"The rows have several columns called {twice[0]}; rename all but one.")
    return pd.DataFrame(
        {
            code.name: _numbers(frame[code.name])
            if code.kind == "number"
            else _levels(frame[code.name], frozenset(code.levels))
            for code in codes
        },
        index=frame.index,
    )


def _numbers(values: pd.Series) -> pd.Series:
    read = pd.to_numeric(values.astype(object).where(values.notna()), errors="coerce").astype(np.float64)
    wrong = np.flatnonzero((read.isna() & values.notna()) | np.isinf(read))
    if len(wrong):
        found = str(values.iloc[wrong[0]])[:40]
        raise ValueError(f"'{values.name}' must hold finite numbers, but row {wrong[0] + 1} has '{found}'; correct it.")
    return read


def _levels(values: pd.Series, known_levels: frozenset[str]) -> pd.Series:
    categories = values.cat.categories if isinstance(values.dtype, pd.CategoricalDtype) else values.dropna().unique()
    text_of = {value: _level_text(value, known_levels) for value in categories}
    return values.astype(object).map(text_of).astype("category")


def _level_text(value: object, known_levels: frozenset[str]) -> str:
    """As the levels of an audit are written, which is 3 rather than 3.0, true rather than True, no space around."""
    if isinstance(value, (bool, np.bool_)):
        usual = str(bool(value)).lower()
    elif isinstance(value, (int, float, np.integer, np.floating)):
        usual = number_text(float(value))
    else:
        usual = str(value).strip()
    return str(value) if str(value) in known_levels else usual

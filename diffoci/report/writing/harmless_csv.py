"""Tables to take away that no spreadsheet takes for a program."""

from __future__ import annotations

import csv
from typing import Any

import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless_csv(frame: pd.DataFrame) -> bytes:
    r"""Write a table so that no spreadsheet takes a cell for a formula; numbers stay numbers.

    Texts stand in quotes: where commas are decimal, spreadsheets would break them at every semicolon.

    Examples
    --------
    >>> harmless_csv(pd.DataFrame({"=a": ["@b", "c"], "n": [-1, 2]})).decode("utf-8-sig").splitlines()
    ['"\'=a","n"', '"\'@b",-1', '"c",2']
    """
    safe = frame.copy()
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name].dtype):
            safe[name] = [_harmless(value) for value in safe[name]]
    safe.columns = pd.Index([_harmless(name) for name in safe.columns])
    return safe.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).encode("utf-8-sig")


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value

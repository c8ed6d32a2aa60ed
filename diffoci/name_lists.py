"""Several names in one word of the command line: commas between, quotes around names that have one themselves."""

from __future__ import annotations

import csv
from collections.abc import Sequence


def join_names(names: Sequence[str]) -> str:
    r"""Names as `split_names` reads them back, whatever they are made of.

    >>> join_names(["age", "a,b", "c\nd"])
    'age,"a,b","c\nd"'
    """
    return ",".join(_quoted(name) if name != name.strip() or set(name) & set(',"\n\r') else name for name in names)


def split_names(text: str) -> list[str]:
    """Split at commas, except those in quotes: columns of a user's file may be called anything."""
    try:
        return [name for name in next(csv.reader([text], skipinitialspace=True, strict=True), []) if name]
    except csv.Error:
        raise ValueError(
            f"{text!r} is not a list of names: put names that hold a comma, a quote or a line break in double quotes."
        ) from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

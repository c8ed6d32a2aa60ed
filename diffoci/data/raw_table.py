"""RawTable: a source's columns as they are, for audits in which the user says what each column is."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table, one row per person, and where it comes from."""

    table: pa.Table
    title: str
    real: bool
    source: str = ""
    licence: str = "not stated"
    citation: str = ""
    notes: tuple[str, ...] = ()

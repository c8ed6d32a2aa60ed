"""Join a second file to a table by key columns: every row finds one partner, or is counted and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from diffoci.data.tables.columns import as_levels, normalise

_NAMED = 5


@dataclass(frozen=True, eq=False)
class Joined:
    """The rows that have a partner, with the columns of both files, and what to note of the others."""

    table: pa.Table
    notes: tuple[str, ...]


def join_by_keys(table: pa.Table, other: pa.Table, keys: Sequence[str]) -> Joined:
    """Join each row of a table to the one row of another that has the same keys.

    Rows without a partner are left out. Keys are compared as they are written: 7 and 7.0 are the same, "07" is not.
    """
    if not keys:
        raise ValueError("Name the key columns that both files have.")
    for key in keys:
        for side, where in ((table, "the table"), (other, "the second file")):
            if key not in side.column_names:
                raise ValueError(
                    f"The key '{key}' is not a column of {where}; columns are {', '.join(side.column_names)}."
                )
    added = [name for name in other.column_names if name not in keys]
    if twice := [name for name in added if name in table.column_names]:
        raise ValueError(f"'{twice[0]}' is a column of both files; rename it in one, or make it a key.")
    if not added:
        raise ValueError("The second file has nothing but its keys.")
    left, right = (_texts(side, keys) for side in (table, other))
    if (repeated := right.duplicated()).any():
        row = right[repeated].iloc[0]
        raise ValueError(f"The second file has {_named(row)} more than once; each key may stand in one row only.")
    place = pd.Series(range(len(right)), index=pd.MultiIndex.from_frame(right)).reindex(pd.MultiIndex.from_frame(left))
    found = place.notna().to_numpy()
    if not found.any():
        raise ValueError(f"No row of the table has its {', '.join(keys)} in the second file; check the keys.")
    partners = other.select(added).take(pa.array(place.to_numpy()[found].astype("int64")))
    joined = table.filter(pa.array(found))
    for name in added:
        joined = joined.append_column(name, partners[name])
    return Joined(joined, _notes(left[~found], keys))


def _texts(table: pa.Table, keys: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame({key: as_levels(normalise(table[key])).astype("object").astype("str") for key in keys})


def _named(row: pd.Series) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.items())


def _notes(missing: pd.DataFrame, keys: Sequence[str]) -> tuple[str, ...]:
    if missing.empty:
        return ()
    first = "; ".join(_named(row) for _, row in missing.head(_NAMED).iterrows())
    more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
    return (f"{len(missing):,} rows without a partner in the second file are left out: {first}{more}.",)

"""How large a table of one's own may be."""

from __future__ import annotations

MAX_BYTES = 1 << 30
MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000


def refuse_large(size: int) -> None:
    """Refuse a file of too many bytes."""
    if size > MAX_BYTES:
        raise ValueError(
            f"The file has {size / 1e9:.1f} GB; at most {MAX_BYTES / 1e9:.1f} GB can be read: take a random"
            " sample of rows, or save it as Parquet with fewer columns."
        )


def refuse_wide(columns: int) -> None:
    """Refuse too many columns."""
    if columns > MAX_COLUMNS:
        raise ValueError(
            f"The file has more than {MAX_COLUMNS:,} columns, the most that can be read: leave out those that no"
            " decision would use."
        )


def refuse_long(rows: int) -> None:
    """Refuse too many rows."""
    if rows > MAX_ROWS:
        raise ValueError(f"The file has {rows:,} rows; at most {MAX_ROWS:,} can be read: take a random sample.")

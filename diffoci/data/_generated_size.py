"""How much data may be generated: a specification from elsewhere must not fill the memory of whoever looks at it."""

from __future__ import annotations

MOST_ROWS = 1_000_000
MOST_CELLS = 20_000_000  # rows times columns


def check_generated_size(what: str, rows: int, columns: int) -> None:
    """Refuse a table that is too large to be generated.

    >>> check_generated_size("Known-truth data", 4000, 9)
    >>> check_generated_size("Known-truth data", 200_000_000, 9)
    Traceback (most recent call last):
    ValueError: Known-truth data: 200,000,000 rows of 9 columns are too many; at most 1,000,000 rows are generated.
    """
    most = min(MOST_ROWS, MOST_CELLS // max(1, columns))
    if rows > most:
        raise ValueError(
            f"{what}: {rows:,} rows of {columns:,} columns are too many; at most {most:,} rows are generated."
        )

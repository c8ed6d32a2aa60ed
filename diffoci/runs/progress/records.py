"""Lines of progress and of histories, as far as they can be believed: they may come from a stranger's archive.

What these types do not say of an entry is left out of its line, and a line that is no record is left out whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from diffoci.plain_text import can_be_shown
from diffoci.runs.files import opened

_SECONDS = (0.0, 1e9)
_LIMITS = {
    "eta": _SECONDS,
    "elapsed": _SECONDS,
    "time": (0.0, 4e9),  # in seconds since 1970, up to the year 2096
    "epoch": (0.0, 1e9),
}
_ANY = (-1e300, 1e300)
_TEXTS = frozenset({"stage", "state", "message", "method", "cell"})
_LISTS = frozenset({"theta"})
_MOST_NUMBERS = 10_000  # of one entry: the weights of as many features as a result may have


def read_records(path: Path, *, last_bytes: int | None = None) -> list[dict[str, Any]]:
    """Read the records of a file of lines; a line that is not whole (yet, or any more) is left out."""
    try:
        with opened(path) as file:
            if last_bytes is not None:
                file.seek(max(0, file.seek(0, os.SEEK_END) - last_bytes))
            return list(records(file.read().split(b"\n")))
    except (OSError, ValueError):
        return []


def records(lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    """The records of lines.

    >>> list(records([b'{"epoch": 1, "stage": 2, "T": 0.5}', b"[" * 200_000, b'{"epo']))
    [{'epoch': 1, 'T': 0.5}]
    """
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield {name: value for name, value in record.items() if _is_possible(name, value)}


def _is_possible(name: str, value: Any) -> bool:
    if value is None:
        return True
    if name in _TEXTS:
        return isinstance(value, str) and can_be_shown(value)
    if name in _LISTS:
        return isinstance(value, list) and len(value) <= _MOST_NUMBERS and all(_is_number(one, _ANY) for one in value)
    return _is_number(value, _LIMITS.get(name, _ANY)) and can_be_shown(name)


def _is_number(value: Any, limits: tuple[float, float]) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and limits[0] <= value <= limits[1]


def share(value: float | None, otherwise: float = 0.0) -> float:
    """A share of 1, whatever was told.

    >>> share(1.2), share(None, 0.3)
    (1.0, 0.3)
    """
    return otherwise if value is None else min(max(float(value), 0.0), 1.0)

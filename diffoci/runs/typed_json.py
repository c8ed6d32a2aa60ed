"""JSON into types: every entry has its kind and its limits, or a sentence says which has not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_WHERE = re.compile(r" - at `(?:key in )?\$\.?(?P<path>.*)`$")


def parse(content: bytes, name: str) -> dict[str, Any]:
    """Read one JSON object, or say in a sentence that the file is damaged.

    Python's own reader, because cells keep NaN, which JSON does not know and the faster ones refuse.
    """
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"{name} is damaged: it does not hold a JSON object.")
    return values


def convert(values: Mapping[str, Any], kind: type[T], name: str) -> T:
    """Turn plain values into a type.

    >>> class Point(msgspec.Struct, forbid_unknown_fields=True):
    ...     x: int
    >>> convert({"x": "far"}, Point, "point.json")
    Traceback (most recent call last):
    ValueError: point.json is damaged at 'x': expected `int`, got `str`.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as problem:
        raise ValueError(_sentence(str(problem), name)) from None


def _sentence(problem: str, name: str) -> str:
    where = _WHERE.search(problem)
    what = problem[: where.start()] if where else problem
    place = f" at '{where['path'][:200]}'" if where and where["path"] else ""
    return f"{name} is damaged{place}: {what[:1].lower()}{what[1:]}."

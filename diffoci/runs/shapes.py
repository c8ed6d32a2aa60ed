"""Say what JSON must look like, and in a sentence where it does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Shape = Callable[[Any, str], None]
LONGEST_TEXT = 5000
LATEST = 4e9  # in the year 2096
_DEEPEST = 30
# Control characters but for tabs and line ends, which columns' names have, and halves of characters, which no file has.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def text(value: Any, where: str) -> None:
    """Short, of letters that can be written, and without the signs by which a terminal is steered."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or _UNPRINTABLE.search(value):
        raise _wrong(where, "a text")


def whole(value: Any, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 2**53:
        raise _wrong(where, "a whole number")


def positive(value: Any, where: str) -> None:
    whole(value, where)
    if value < 1:
        raise _wrong(where, "a whole number from 1 on")


def number(value: Any, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300:
        raise _wrong(where, "a number")


def moment(value: Any, where: str) -> None:
    """Seconds since 1970, up to a year that every calendar here knows."""
    number(value, where)
    if not 0 <= value <= LATEST:
        raise _wrong(where, "a time in seconds since 1970")


def flag(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise _wrong(where, "true or false")


def between(low: float, high: float) -> Shape:
    def check(value: Any, where: str) -> None:
        number(value, where)
        if not low <= value <= high:
            raise _wrong(where, f"a number from {low:,} to {high:,}")

    return check


def whole_between(low: int, high: int) -> Shape:
    def check(value: Any, where: str) -> None:
        whole(value, where)
        if not low <= value <= high:
            raise _wrong(where, f"a whole number from {low:,} to {high:,}")

    return check


def anything(value: Any, where: str) -> None:
    """Any values, as long as every text among them is one and they are not nested without end."""
    _check_texts(value, where, _DEEPEST)


def _check_texts(value: Any, where: str, depth: int) -> None:
    if depth == 0:
        raise ValueError(f"{where} is nested too deeply.")
    if isinstance(value, str):
        text(value, where)
    elif isinstance(value, dict):
        for key, entry in value.items():
            text(key, where)
            _check_texts(entry, where, depth - 1)
    elif isinstance(value, list):
        for entry in value:
            _check_texts(entry, where, depth - 1)


def either(one: Shape, other: Shape) -> Shape:
    def check(value: Any, where: str) -> None:
        (other if isinstance(value, list) else one)(value, where)

    return check


def or_none(shape: Shape) -> Shape:
    def check(value: Any, where: str) -> None:
        if value is not None:
            shape(value, where)

    return check


def one_of(*values: str) -> Shape:
    def check(value: Any, where: str) -> None:
        if value not in values:
            raise _wrong(where, f"one of {', '.join(values)}")

    return check


def list_of(shape: Shape, *, length: int | None = None, fewest: int = 0, most: int | None = None) -> Shape:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) < fewest or (length is not None and len(value) != length):
            raise _wrong(where, "a list" if length is None else f"a list of {length}")
        if most is not None and len(value) > most:
            raise _wrong(where, f"a list of at most {most:,}")
        for k, entry in enumerate(value):
            shape(entry, f"{where}[{k}]")

    return check


def mapping_of(shape: Shape, *, fewest: int = 0) -> Shape:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict) or len(value) < fewest:
            raise _wrong(where, "an object")
        for key, entry in value.items():
            text(key, where)
            shape(entry, f"{where}.{key[:40]}")

    return check


def record(**entries: Shape) -> Shape:
    """An object with at least these entries."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, "an object")
        for name, shape in entries.items():
            if name not in value:
                raise ValueError(f"{where} has no entry '{name}'.")
            shape(value[name], f"{where}.{name}")

    return check


def _wrong(where: str, wanted: str) -> ValueError:
    return ValueError(f"{where} is not {wanted}.")

"""Say what JSON must look like, and in a sentence where it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shape = Callable[[Any, str], None]
LONGEST_TEXT = 5000
LATEST = 4e9  # in the year 2096


def text(value: Any, where: str) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
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


def anything(value: Any, where: str) -> None:
    """No demand."""


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


def list_of(shape: Shape, *, length: int | None = None, fewest: int = 0) -> Shape:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) < fewest or (length is not None and len(value) != length):
            raise _wrong(where, "a list" if length is None else f"a list of {length}")
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

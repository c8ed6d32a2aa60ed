"""Kinds of values a result holds, each with its limits; whatever reads one refuses what is outside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from diffoci.plain_text import LONGEST_TEXT, can_be_shown

_DEEPEST = 30

Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
# Of a size whose squares are numbers, too.
Number = Annotated[float, Meta(gt=-1e100, lt=1e100)]
Positive = Annotated[float, Meta(ge=0, lt=1e100)]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
People = Annotated[int, Meta(ge=1, le=2**53)]
Seed = Annotated[int, Meta(ge=0, le=2**32 - 1)]

# How many there are at most: attributes, levels of one, groups by several crossed, features, methods, seeds.
MOST_ATTRIBUTES, MOST_LEVELS, MOST_GROUPS = 200, 1000, 100_000
MOST_FEATURES, MOST_METHODS, MOST_SEEDS = 10_000, 200, 1000
Names = Annotated[tuple[Text, ...], Meta(max_length=MOST_FEATURES)]
AttributeNames = Annotated[tuple[Text, ...], Meta(max_length=MOST_ATTRIBUTES)]
GroupNames = Annotated[tuple[Text, ...], Meta(max_length=MOST_GROUPS)]


class Stored(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of a result: frozen, and nothing stands in it that is not declared."""


def check_texts(value: Any, name: str) -> None:
    r"""Refuse texts that a page, a file or a terminal cannot show, wherever they stand, and nesting without end.

    >>> check_texts({"title": "a\x1b[2J"}, "result.json")
    Traceback (most recent call last):
    ValueError: result.json is damaged at 'title': it is no text that can be shown.
    """
    where = _unshowable(value, _DEEPEST)
    if where is None:
        return
    if where.count(".") + where.count("[") >= _DEEPEST:
        raise ValueError(f"{name} is damaged: its entries are nested too deeply.")
    at = f" at '{where.removeprefix('.')}'" if where else ""
    raise ValueError(f"{name} is damaged{at}: it is no text that can be shown.")


def _unshowable(value: Any, depth: int) -> str | None:
    """Where the first such text stands, in the words of the entries that lead to it."""
    if isinstance(value, (float, int)) or value is None:
        return None
    if isinstance(value, str):
        return None if can_be_shown(value) else ""
    if depth == 0:
        return ""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if _unshowable(key, depth) is not None:
                return ""
            if (where := _unshowable(entry, depth - 1)) is not None:
                return f".{key[:40]}{where}"
        return None
    for k, entry in enumerate(value):
        if (where := _unshowable(entry, depth - 1)) is not None:
            return f"[{k}]{where}"
    return None

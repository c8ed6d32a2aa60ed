"""Every way in which one entry of a result can be wrong, for tests that ask what is said of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tests.plain_result import Content

Path = tuple[Any, ...]
# Of the wrong kind, no number, too large, below what can be, empty, nested, or just possible.
WRONG: tuple[Any, ...] = (
    *(None, True, "x", "", "\x1b[2J", -1, 0, 1, 7, 2**70, 0.5, -1e9, 1e299, 1e308, float("nan"), float("inf")),
    *([], {}, [[]], ["x"], [0, 0], {"x": 1}),
)


def paths(part: Any) -> Iterator[Path]:
    """Where every entry of a result stands; of lists and tables the first alone, since the others are of its kind."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(part, msgspec.Struct):
        entries = [(one.encode_name, getattr(part, one.name)) for one in msgspec.structs.fields(part)]
    elif isinstance(part, Mapping):
        entries = list(part.items())[:1]
    elif isinstance(part, (list, tuple)):
        entries = list(enumerate(part))[:1]
    for key, value in entries:
        yield (key,)
        for rest in paths(value):
            yield (key, *rest)


def with_entry(content: Content, path: Path, value: Any) -> Content:
    """The content with another value where the path leads; nothing of the content itself is changed."""
    changed = copy.copy(content)
    part: Any = changed
    for key in path[:-1]:
        part[key] = copy.copy(part[key])
        part = part[key]
    part[path[-1]] = value
    return changed


def without_entry(content: Content, path: Path) -> Content:
    """The content without what the path leads to."""
    changed = with_entry(content, path, None)
    part: Any = changed
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return changed


def at(content: Content, path: Path) -> Any:
    """What stands where a path leads."""
    part: Any = content
    for key in path:
        part = part[key]
    return part


def mutations(result: Any, content: Content) -> Iterator[tuple[Path, Any, Content]]:
    """The content with one entry wrong, missing, or of another length, entry by entry and way by way."""
    for path in paths(result):
        for value in WRONG:
            yield path, value, with_entry(content, path, value)
        try:
            here = at(content, path)
        except KeyError:
            continue  # left out of the file because it is what it is by default
        yield path, "missing", without_entry(content, path)
        if isinstance(here, list) and here:
            yield path, "longer", with_entry(content, path, [*here, here[-1]])
            yield path, "shorter", with_entry(content, path, here[:-1])
        if isinstance(here, dict) and here:
            first = next(iter(here))
            yield (
                path,
                "renamed",
                with_entry(content, path, {"no such name" if key == first else key: one for key, one in here.items()}),
            )
            yield path, "fewer", with_entry(content, path, {key: one for key, one in here.items() if key != first})
            yield path, "reordered", with_entry(content, path, dict(reversed(here.items())))

"""Where each part of a result stands in the JSON that a report carries, as JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from diffoci.audit.result import AuditResult
from diffoci.report.writing.blocks import Follows


class Pointers:
    """Finds objects and dictionaries of one result by their identity: equal parts may stand in several places."""

    def __init__(self, result: AuditResult | None) -> None:
        self._result = result  # kept, so that no other object can get the identity of one of its parts
        # Of a part that stands in two places the later one counts, as it would if they were two equal parts.
        self._places = {} if result is None else {id(part): place for part, place in _parts(result, "")}

    def of(self, follows: Follows) -> str | None:
        """The pointer to what is shown; None of a part that the result does not have."""
        place = self._places.get(id(follows.part))
        return place if place is None or not follows.entry else f"{place}/{follows.entry}"


def _parts(value: Any, place: str) -> Iterator[tuple[Any, str]]:
    below: Iterable[tuple[object, Any]] | None = entries(value)
    if below is not None:
        yield value, place
    elif isinstance(value, tuple):
        below = enumerate(value)
    for key, part in below or ():
        yield from _parts(part, f"{place}/{_escaped(str(key))}")


def entries(value: Any) -> Iterator[tuple[str, Any]] | None:
    """The entries of an object or a dictionary by their names in JSON; None of anything else."""
    if isinstance(value, Struct):
        return ((written, getattr(value, name)) for written, name in _names(type(value)))
    return iter(value.items()) if isinstance(value, Mapping) else None


@cache  # msgspec works them out anew each time
def _names(kind: type[Struct]) -> tuple[tuple[str, str], ...]:
    return tuple((field.encode_name, field.name) for field in fields(kind))


def _escaped(key: str) -> str:
    r"""One step of a pointer.

    >>> _escaped("sex/race ~")
    'sex~1race ~0'
    """
    return key.replace("~", "~0").replace("/", "~1")

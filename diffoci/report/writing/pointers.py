"""Where each part of a result stands in the JSON that a report carries, as JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    if isinstance(value, (Struct, Mapping)):
        yield value, place
    for key, part in _entries(value):
        yield from _parts(part, f"{place}/{_escaped(str(key))}")


def _entries(value: Any) -> Iterator[tuple[object, Any]]:
    if isinstance(value, Struct):
        return ((field.encode_name, getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return iter(value.items())
    return iter(enumerate(value) if isinstance(value, tuple) else ())


def _escaped(key: str) -> str:
    r"""One step of a pointer.

    >>> _escaped("sex/race ~")
    'sex~1race ~0'
    """
    return key.replace("~", "~0").replace("/", "~1")

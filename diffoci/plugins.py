"""What is added by name: sources, methods, probes and studies, ours and other packages', through Python entry points.

A package names an object in its own `pyproject.toml`, for example

    [project.entry-points."diffoci.methods"]
    shuffled = "my_package:SHUFFLED"

and it appears wherever ours do. One that cannot be loaded costs a sentence in the log and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, TypeVar

_LOG = logging.getLogger(__name__)
METHODS, PROBES, SOURCES, STUDIES = ("diffoci.methods", "diffoci.probes", "diffoci.sources", "diffoci.studies")


@cache  # each time it would read what every installed package says
def _points(group: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


@cache
def names(group: str) -> tuple[str, ...]:
    """The names other packages and this one give to objects of a group; none of them is loaded for it."""
    return tuple(dict.fromkeys(point.name for point in _points(group)))


@cache
def load(group: str, name: str, kind: type) -> Any | None:
    """Load one object of a group; None, and a sentence in the log, where there is none that is what it says."""
    for point in _points(group):
        if point.name == name and (found := _loaded(point, kind)) is not None:
            return found
    return None


def load_all(group: str, kind: type) -> dict[str, Any]:
    """Load every object of a group that can be loaded, by name."""
    found = {name: load(group, name, kind) for name in names(group)}
    return {name: one for name, one in found.items() if one is not None}


def _loaded(point: EntryPoint, kind: type) -> Any | None:
    try:
        found = point.load()
    except Exception as problem:  # whatever a stranger's module does when it is imported
        _LOG.warning("The plug-in '%s' (%s) cannot be loaded and is left out: %s", point.name, point.value, problem)
        return None
    if not isinstance(found, kind) or getattr(found, "name", None) != point.name:
        _LOG.warning(
            "The plug-in '%s' (%s) is left out: it is no %s of that name.", point.name, point.value, kind.__name__
        )
        return None
    return found


class Named(Protocol):
    """Anything that says what it is called."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T]):
    """Our own objects of a group by name, then those of other packages, which are loaded when first asked for.

    No other package can take a name of ours. `noun` is what the objects are called in sentences.
    """

    def __init__(self, ours: Iterable[T], *, group: str, kind: type[T], noun: str) -> None:
        self.ours = {one.name: one for one in ours}
        self._group, self._kind, self._noun = group, kind, noun

    def named(self, name: str) -> T:
        """Return one by its name, or say in a sentence which there are."""
        if name not in self:
            raise ValueError(f"There is no {self._noun} {name!r}; choose from {', '.join(self)}.")
        return self[name]

    def __getitem__(self, name: str) -> T:
        return self.ours[name] if name in self.ours else self._theirs()[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.ours, **self._theirs()})

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _theirs(self) -> dict[str, T]:
        return load_all(self._group, self._kind)

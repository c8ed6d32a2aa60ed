"""Compare two sets of values number by number, and say where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Sums in another order differ by this much, relative to 1 or to the number; anything larger is a difference.
TOLERANCE = 1e-9
_NAMES = ("name", "label", "category", "given", "attributes", "weight")
Leaf = str | float | int | bool | None
Pair = tuple[str, Leaf, Leaf]  # where, as stated, as found


@dataclass(frozen=True)
class Difference:
    """One place where two values differ."""

    where: str
    stated: Leaf
    found: Leaf

    def __str__(self) -> str:
        return f"{self.where}: {_text(self.stated)} in the report, {_text(self.found)} here"


@dataclass(frozen=True)
class Agreement:
    """How many values were compared and which differ; `largest` is the largest difference between two numbers."""

    compared: int
    differences: tuple[Difference, ...] = ()
    largest: float = 0.0

    @property
    def agreeing(self) -> int:
        return self.compared - len(self.differences)


def compare(stated: Mapping[str, Leaf], found: Mapping[str, Leaf]) -> Agreement:
    """Compare values by name; one that only one side has is a difference.

    >>> [str(one) for one in compare({"a": 1.0, "b": "x"}, {"a": 1.5, "b": "x"}).differences]
    ['a: 1.0 in the report, 1.5 here']
    """
    differences, largest = [], 0.0
    names = list(dict.fromkeys([*stated, *found]))
    for name in names:
        one, other = stated.get(name, _ABSENT), found.get(name, _ABSENT)
        if _is_number(one) and _is_number(other):
            apart = abs(float(one or 0) - float(other or 0))
            largest = max(largest, apart)
            same = apart <= TOLERANCE * max(1.0, abs(float(one or 0)))
        else:
            same = type(one) is type(other) and one == other
        if not same:
            differences.append(Difference(name, one, other))
    return Agreement(len(names), tuple(differences), largest)


def leaves(value: Any, where: str = "") -> Iterator[tuple[str, Leaf]]:
    """Every number and text of nested values, each with the way to it.

    >>> dict(leaves({"methods": [{"name": "dF3", "y": [1, 2]}]}))
    {'methods › dF3 › name': 'dF3', 'methods › dF3 › y › 0': 1, 'methods › dF3 › y › 1': 2}
    """
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from leaves(entry, joined(where, str(key)))
    elif isinstance(value, (list, tuple)):
        for key, entry in zip(keys_of(value), value, strict=True):
            yield from leaves(entry, joined(where, key))
    else:
        yield where, value


def keys_of(values: Any) -> list[str]:
    """How the entries of a list are called: by their own name where all have one of their own, else by number."""
    for name in _NAMES:
        if values and all(isinstance(one, Mapping) and name in one for one in values):
            found = ["+".join(map(str, one[name])) or "nothing" if isinstance(one[name], list) else str(one[name])
                     for one in values]  # fmt: skip
            if len(set(found)) == len(found):
                return found
    return [str(k) for k in range(len(values))]


def joined(where: str, key: str) -> str:
    """One step further on the way to a value."""
    return f"{where} › {key}" if where else key


_ABSENT = "nothing"


def _is_number(value: Leaf) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: Leaf) -> str:
    return repr(value) if isinstance(value, float) else str(value)

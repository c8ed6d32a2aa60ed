"""Compare two sets of values number by number, and say where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct, to_builtins

from diffoci.report.writing.pointers import entries

# Sums in another order differ by this much, relative to 1 or to the number; anything larger is a difference.
TOLERANCE = 1e-9
_NAMES = ("name", "label", "category", "given", "attributes", "weight")
Leaf = str | float | int | bool | None
Pair = tuple[str, Any, Any]  # where, as stated, as found: numbers, texts or whole parts of a result


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


def compare(stated: Mapping[str, Leaf], found: Mapping[str, Leaf]) -> Agreement:
    """Compare values by name; one that only one side has is a difference.

    >>> [str(one) for one in compare({"a": 1.0, "b": "x"}, {"a": 1.5, "b": "x"}).differences]
    ['a: 1.0 in the report, 1.5 here']
    """
    names = dict.fromkeys([*stated, *found])
    return _judged((name, stated.get(name, ABSENT), found.get(name, ABSENT)) for name in names)


def compare_trees(stated: Any, found: Any, where: str = "") -> Agreement:
    """Compare two trees of plain values: the same kinds, keys, order and lengths; only numbers have a tolerance.

    >>> compare_trees({"x": [1, 2]}, {"x": [1, 2 + 1e-12]}).differences
    ()
    >>> [str(one) for one in compare_trees({"x": [1, 2]}, {"x": {"0": 1, "1": 2}}).differences]
    ['x: a list of 2 in the report, an object of 0, 1 here']
    """
    return _judged(_side_by_side(stated, found, where))


def compare_pairs(pairs: Iterable[Pair]) -> Agreement:
    """Compare what is stated with what was found, each pair as a tree of its own: no name can stand for another's.

    >>> compare_pairs([("a", (1, None), (1, None)), ("a", 1, 2)]).differences
    (Difference(where='a', stated=1, found=2),)
    """
    return _judged(
        side for where, stated, found in pairs for side in _side_by_side(to_builtins(stated), to_builtins(found), where)
    )


def together(*agreements: Agreement) -> Agreement:
    """Several comparisons as one."""
    return Agreement(
        sum(one.compared for one in agreements),
        tuple(difference for one in agreements for difference in one.differences),
        max((one.largest for one in agreements), default=0.0),
    )


def _judged(pairs: Iterable[tuple[str, Any, Any]]) -> Agreement:
    differences, largest, compared = [], 0.0, 0
    for where, one, other in pairs:
        compared += 1
        if _is_number(one) and _is_number(other):
            stands, here = _as_float(one), _as_float(other)
            apart = abs(stands - here)
            largest = max(largest, apart)
            same = apart < math.inf and apart <= TOLERANCE * max(1.0, abs(stands))
        else:  # branches come here only where they part: their words may be the same all the same
            same = type(one) is type(other) and one == other and not isinstance(one, _Branch)
        if not same:
            differences.append(Difference(where, one, other))
    return Agreement(compared, tuple(differences), largest)


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer that no float can hold, and no number of ours
        return math.inf


def _side_by_side(one: Any, other: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Leaves of both trees; where they part, what stands there instead."""
    one, other = (list(side) if isinstance(side, tuple) else side for side in (one, other))
    alike_in_kind = type(one) is type(other) and isinstance(one, (dict, list))
    if alike_in_kind and isinstance(one, dict) and list(one) == list(other):
        for key in one:
            yield from _side_by_side(one[key], other[key], f"{where} › {key}" if where else str(key))
    elif alike_in_kind and isinstance(one, list) and len(one) == len(other):
        for k, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _side_by_side(left, right, f"{where} › {k}" if where else str(k))
    else:
        yield where, _told(one), _told(other)


def _told(value: Any) -> Any:
    """A branch in words: what it is and what it holds."""
    if isinstance(value, dict):
        return _Branch(f"an object of {', '.join(map(str, value)) or 'nothing'}"[:200])
    return _Branch(f"a list of {len(value)}") if isinstance(value, list) else value


class _Branch(str):
    """The words for a branch, which nothing is equal to, another branch in the same words included."""


def leaves(value: Any, where: str = "") -> Iterator[tuple[str, Leaf]]:
    """Every number and text of nested values, each with the way to it.

    >>> dict(leaves({"methods": [{"name": "dF3", "y": [1, 2]}]}))
    {'methods › dF3 › name': 'dF3', 'methods › dF3 › y › 0': 1, 'methods › dF3 › y › 1': 2}
    """
    below = parts(value, where)
    if below is None:
        yield where, value
        return
    for there, part in below:
        yield from leaves(part, there)


def parts(value: Any, where: str) -> Iterator[tuple[str, Any]] | None:
    """What a value consists of, each with the way to it; None for a number or a text."""
    found = entries(value)
    if found is None and isinstance(value, (list, tuple)):
        found = zip(_keys_of(value), value, strict=True)
    if found is None:
        return None
    return ((f"{where} › {key}" if where else str(key), part) for key, part in found)


def _keys_of(values: Sequence[Any]) -> list[str]:
    """How the entries of a list are called: by their own name where all have one of their own, else by number."""
    if values and isinstance(values[0], (Struct, Mapping)):
        tables = [dict(entries(one) or ()) for one in values]
        for name in _NAMES:
            if all(name in table for table in tables):
                found = [_called(table[name]) for table in tables]
                if len(set(found)) == len(found):
                    return found
    return [str(k) for k in range(len(values))]


def _called(name: Any) -> str:
    return "+".join(map(str, name)) or "nothing" if isinstance(name, (list, tuple)) else str(name)


class _Absent:
    """What stands where only one side has something: equal to no value that a file can hold."""

    def __str__(self) -> str:
        return "nothing"


ABSENT: Any = _Absent()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: Leaf) -> str:
    return repr(value) if isinstance(value, float) else str(value)

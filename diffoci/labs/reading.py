"""Read the result.json of a lab: every entry has its kind and limits, and its parts belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from diffoci.audit.kinds import check_texts
from diffoci.audit.result import Mean
from diffoci.runs.run_files import check_schema
from diffoci.runs.study import ResultT
from diffoci.runs.typed_json import convert


def read_checked(
    content: Mapping[str, Any], kind: type[ResultT], problems: Callable[[ResultT], Iterator[str]], name: str
) -> ResultT:
    """Return the result that plain values hold, or say in a sentence what is wrong with them.

    `problems` tells what types cannot: parts that do not speak of the same groups, features or seeds.
    """
    check_schema(content, name)
    check_texts(content, name)
    result = convert(content, kind, name)
    if not all(_is_possible(mean) for mean in _means(result)):
        raise ValueError(f"{name} is damaged: an interval does not hold its mean.")
    seeds = getattr(getattr(result, "spec", None), "seeds", ())
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"{name} is damaged: a repetition was asked for twice.")
    if (problem := next(problems(result), None)) is not None:
        raise ValueError(f"{name} is damaged: {problem}.")
    return result


def _means(part: Any) -> Iterator[Mean]:
    """Every mean, wherever it stands."""
    if isinstance(part, Mean):
        yield part
    elif isinstance(part, Struct):
        for entry in asdict(part).values():
            yield from _means(entry)
    elif isinstance(part, Mapping):
        for entry in part.values():
            yield from _means(entry)
    elif isinstance(part, tuple) and part and not isinstance(part[0], (int, float, str)):
        for entry in part:
            yield from _means(entry)


def _is_possible(found: Mean) -> bool:
    if found.mean is None or found.low is None or found.high is None:
        return found.low is None and found.high is None
    return found.low <= found.mean <= found.high

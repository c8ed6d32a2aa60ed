"""Read the result.json of the lab: every entry is checked, and what follows from repetitions is worked out again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from diffoci.labs.reading import read_checked
from diffoci.labs.spurious.means import outcome
from diffoci.labs.spurious.result import Outcome, SpuriousResult


def read_result(content: Mapping[str, Any], name: str = "result.json") -> SpuriousResult:
    """Return the result that plain values hold, or say in a sentence which entry of them is wrong."""
    return read_checked(content, SpuriousResult, _problems, name)


def worked_out(result: SpuriousResult, one: Outcome) -> Outcome:
    """What follows from the repetitions of a method."""
    return outcome(
        one.repetitions,
        result.sizes,
        name=one.name,
        title=one.title,
        description=one.description,
        stage=one.stage,
        penalty=one.penalty,
        beta=one.beta,
        overlap=result.overlap,
    )


def _problems(result: SpuriousResult) -> Iterator[str]:
    for one in result.outcomes:
        if any(
            len(found.cells) != len(result.sizes) or len(found.refitted) not in (0, len(result.sizes))
            for found in one.repetitions
        ):
            yield f"{one.title} does not name every group"
        elif not _agree(msgspec.to_builtins(one), msgspec.to_builtins(worked_out(result, one))):
            yield f"the means of {one.title} do not follow from its repetitions"


def _agree(found: Any, expected: Any) -> bool:
    """Whether plain values are the same but for last digits: those of a weighted mean differ between machines."""
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(_agree(found[name], expected[name]) for name in found)
    if isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(_agree, found, expected))
    return bool(found == expected)

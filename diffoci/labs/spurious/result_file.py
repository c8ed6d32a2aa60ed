"""Read the result.json of the lab: every entry is checked, and what follows from repetitions is worked out again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
        elif one != worked_out(result, one):
            yield f"the means of {one.title} do not follow from its repetitions"

"""Check the report of a run of the spurious lab against itself, and against the same run computed again."""

from __future__ import annotations

from typing import Any

import msgspec

from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.result_file import worked_out
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.checks.agreement import compare_trees
from diffoci.report.checks.check import Check, check_again, check_digest, check_shown
from diffoci.report.labs.spurious import build_spurious_report
from diffoci.report.writing.embedded import Embedded, read_embedded


def read_lab_run(report: str) -> Embedded[SpuriousResult]:
    """Read the result of a run from its report, or say in a sentence what is wrong with it."""
    embedded = read_embedded(report, SPURIOUS_LAB)
    SPURIOUS_LAB.check_portable(embedded.result.spec)
    return embedded


def check_lab_report(text: str, embedded: Embedded[SpuriousResult]) -> list[Check]:
    """Whether what a reader sees follows from the result, and the result from its repetitions."""
    result = embedded.result
    rebuilt = build_spurious_report(result, created=embedded.created)
    stated = [msgspec.to_builtins(one) for one in result.outcomes]
    means = compare_trees(stated, [msgspec.to_builtins(worked_out(result, one)) for one in result.outcomes])
    words = f"{means.compared:,} means and intervals worked out from repetitions"
    return [check_shown(text, rebuilt, embedded), Check("arithmetic", means, words), check_digest(embedded)]


def check_lab_again(result: SpuriousResult, again: SpuriousResult) -> Check:
    """Whether the same run, computed again, gives the same numbers."""
    return check_again(_in_common(result), _in_common(again))


def _in_common(result: SpuriousResult) -> Any:
    plain = [msgspec.to_builtins(one) for one in result.outcomes]
    for one in plain:
        for repetition in one["repetitions"]:
            repetition.pop("seconds", None)
    return {"sha256": result.sha256, "outcomes": plain}

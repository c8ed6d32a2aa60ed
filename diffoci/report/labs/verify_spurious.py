"""Check the report of a run of the spurious lab against itself, and against the same run computed again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.result_file import worked_out
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.checks.agreement import compare, compare_trees, together
from diffoci.report.checks.shown import drawn, is_as_written, numbers_in, shown
from diffoci.report.labs.spurious import build_spurious_report
from diffoci.report.verify import Check
from diffoci.report.writing.embedded import ELEMENT, digest, script_content
from diffoci.runs.provenance import versions
from diffoci.runs.run_files import check_schema


@dataclass(frozen=True, eq=False)
class EmbeddedLabRun:
    """What the report of a run carries."""

    result: SpuriousResult
    created: float | None
    written_by: str
    intact: bool


def read_lab_run(report: str) -> EmbeddedLabRun | None:
    """Read a report's own result; None where it is not of this lab."""
    found = script_content(report, ELEMENT)
    try:
        content = None if found is None else json.loads(found)
    except (ValueError, RecursionError):
        return None
    plain = content.get("result") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(plain, dict) or plain.get("study") != SPURIOUS_LAB.name:
        return None
    check_schema(content, "The report")
    result = SPURIOUS_LAB.read_result(plain, "The result.json in this report")
    SPURIOUS_LAB.check_portable(result.spec)
    created, written_by = content.get("created"), str(content.get("written_by"))[:100]
    if created is not None and not (isinstance(created, (int, float)) and 0 <= created <= 4e9):
        raise ValueError("The result in this report is damaged: it does not say when it was made.")
    return EmbeddedLabRun(result, created, written_by, content.get("sha256") == digest(plain, created, written_by))


def check_lab_report(text: str, embedded: EmbeddedLabRun) -> list[Check]:
    """Whether what a reader sees follows from the result, and the result from its repetitions."""
    rebuilt = build_spurious_report(embedded.result, created=embedded.created)
    again, found = shown(rebuilt), shown(text)
    if embedded.written_by == versions()["diffoci"]:
        frame = "markup, style and scripts"
        again[frame] = "as written"
        found[frame] = "as written" if is_as_written(text, rebuilt) else "changed"
    seen = together(compare(found, again), compare_trees(drawn(text), drawn(rebuilt), "picture"))
    words = f"{seen.compared:,} sentences, cells and marks of pictures ({numbers_in(again):,} numbers in words)"
    stated = [msgspec.to_builtins(one) for one in embedded.result.outcomes]
    means = compare_trees(
        stated, [msgspec.to_builtins(worked_out(embedded.result, one)) for one in embedded.result.outcomes]
    )
    intact = {"embedded result": "as written" if embedded.intact else "changed"}
    return [
        Check("shown", seen, f"{words} against the embedded result"),
        Check("arithmetic", means, f"{means.compared:,} means and intervals worked out from repetitions"),
        Check("digest", compare(intact, {"embedded result": "as written"}), "the embedded result against its sha256"),
    ]


def check_lab_again(result: SpuriousResult, again: SpuriousResult) -> Check:
    """Whether the same run, computed again, gives the same numbers."""
    found = compare_trees(_in_common(result), _in_common(again))
    words = f"{found.compared:,} numbers and words of the result, largest difference {found.largest:.2g}"
    return Check("rerun", found, words)


def _in_common(result: SpuriousResult) -> Any:
    plain = [msgspec.to_builtins(one) for one in result.outcomes]
    for one in plain:
        for repetition in one["repetitions"]:
            repetition.pop("seconds", None)
    return {"sha256": result.sha256, "outcomes": plain}

"""Check the report of a model audit against itself, against the people, and against the same audit computed again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from diffoci.audit.certificates.ceiling import slack
from diffoci.model_audit.people import People
from diffoci.model_audit.rates import compare_judged, rates_from_counts
from diffoci.model_audit.result import ModelAuditResult, OneModel
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.checks.agreement import Leaf, compare, compare_trees, together
from diffoci.report.checks.shown import drawn, is_as_written, numbers_in, shown
from diffoci.report.model_audit.build import ARRAYS, build_model_report
from diffoci.report.verify import Check
from diffoci.report.writing.embedded import ELEMENT, digest, script_content
from diffoci.runs.provenance import versions
from diffoci.runs.run_files import check_schema
from diffoci.signing.keys import PublicKey


@dataclass(frozen=True, eq=False)
class EmbeddedModelAudit:
    """What the report of a model audit carries."""

    result: ModelAuditResult
    created: float | None
    written_by: str
    intact: bool


def read_model_audit(report: str) -> EmbeddedModelAudit | None:
    """Read a report's own result; None where it is not that of a model audit."""
    found = script_content(report, ELEMENT)
    try:
        content = None if found is None else json.loads(found)
    except (ValueError, RecursionError):
        return None
    plain = content.get("result") if isinstance(content, dict) else None
    if not isinstance(plain, dict) or plain.get("study") != MODEL_AUDIT.name or not isinstance(content, dict):
        return None
    check_schema(content, "The report")
    result = MODEL_AUDIT.read_result(plain, "The result.json in this report")
    if result.spec.data != ARRAYS:
        MODEL_AUDIT.check_portable(result.spec)
    created, written_by = content.get("created"), str(content.get("written_by"))[:100]
    if created is not None and not (isinstance(created, (int, float)) and 0 <= created <= 4e9):
        raise ValueError("The result in this report is damaged: it does not say when it was made.")
    intact = content.get("sha256") == digest(plain, created, written_by)
    return EmbeddedModelAudit(result, created, written_by, intact)


def check_model_report(text: str, embedded: EmbeddedModelAudit, *, signer: PublicKey | None = None) -> list[Check]:
    """Whether what a reader sees follows from the result, and the result from its own counts."""
    rebuilt = build_model_report(embedded.result, created=embedded.created, signer=signer)
    again, found = shown(rebuilt), shown(text)
    if embedded.written_by == versions()["diffoci"]:
        frame = "markup, style and scripts"
        again[frame] = "as written"
        found[frame] = "as written" if is_as_written(text, rebuilt) else "changed"
    seen = together(compare(found, again), compare_trees(drawn(text), drawn(rebuilt), "picture"))
    words = f"{seen.compared:,} sentences, cells and marks of pictures ({numbers_in(again):,} numbers in words)"
    counted = compare_trees(*_both(embedded.result))
    stated = {"embedded result": "as written" if embedded.intact else "changed"}
    return [
        Check("shown", seen, f"{words} against the embedded result"),
        Check("arithmetic", counted, f"{counted.compared:,} rates, gaps, ratios and ceilings worked out from counts"),
        Check("digest", compare(stated, {"embedded result": "as written"}), "the embedded result against its sha256"),
    ]


def check_people(result: ModelAuditResult, people: People) -> Check:
    """Whether these are the people of the report."""
    stated: dict[str, Leaf] = {"sha256": result.provenance.sha256, "rows": result.provenance.rows}
    here: dict[str, Leaf] = {"sha256": people.sha256, "rows": len(people)}
    return Check("data", compare(stated, here), f"sha256 of every value that has a role, {len(people):,} rows")


def check_again(result: ModelAuditResult, again: ModelAuditResult) -> Check:
    """Whether the same audit, computed again from the rows, gives the same numbers."""
    found = compare_trees(_in_common(result), _in_common(again))
    words = f"{found.compared:,} numbers and words of the result, largest difference {found.largest:.2g}"
    return Check("rerun", found, words)


def _in_common(result: ModelAuditResult) -> Any:
    plain = msgspec.to_builtins(replace(result, id="", spec=MODEL_AUDIT.portable(result.spec)))
    for name in ("seconds", "versions", "device"):
        plain["provenance"].pop(name, None)
    plain["spec"].pop("device", None)
    plain["spec"].pop("data", None)  # a file of one's own may have been renamed
    for name in ("name", "title", "source"):
        plain["provenance"].pop(name, None)
    return plain


def _both(result: ModelAuditResult) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the result states, and what follows from its counts."""
    stated: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for one in result.models:
        for name, said, worked in _counted(one, result):
            stated[name], found[name] = msgspec.to_builtins(said), msgspec.to_builtins(worked)
    return stated, found


def _counted(one: OneModel, result: ModelAuditResult) -> Iterator[tuple[str, Any, Any]]:
    settings = result.spec.settings
    for group in (one.overall, *(group for comparison in one.comparisons for group in comparison.groups)):
        if group.counts is not None and group.judged:
            worked = rates_from_counts(group.counts, tuple(group.rates), settings.confidence)
            yield f"{one.name}: {group.levels or group.label}", group.rates, worked
    for comparison in one.comparisons:
        judged = comparison.judged
        if len(judged) > 1 and comparison.between and all(group.counts is not None for group in judged):
            counts = np.array([group.counts for group in judged])
            labelled = result.outcome is not None and result.outcome.kind == "classes"
            worked_out = compare_judged(counts, [group.label for group in judged], labelled, settings)
            said = (comparison.between, comparison.four_fifths, comparison.against)
            yield f"{one.name} by {'+'.join(comparison.attributes)}", said, worked_out
    for attribute, about in one.attributes.items():
        error = (1 - settings.confidence) / max(1, len(about.ceilings))
        worked_slack = [slack((bound.people[0], bound.people[1]), error) for bound in about.ceilings]
        yield f"{one.name}: ceilings by {attribute}", [bound.slack for bound in about.ceilings], worked_slack

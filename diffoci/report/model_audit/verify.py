"""Check the report of a model audit against itself, against the people, and against the same audit computed again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from diffoci.audit.certificates.ceiling import slack
from diffoci.model_audit.people import People
from diffoci.model_audit.rates import compare_judged, rates_from_counts
from diffoci.model_audit.result import ModelAuditResult, OneModel
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.checks.agreement import Leaf, compare, compare_trees
from diffoci.report.checks.check import Check, check_again, check_digest, check_shown
from diffoci.report.model_audit.build import ARRAYS, build_model_report
from diffoci.report.writing.embedded import Embedded, read_embedded
from diffoci.signing.keys import PublicKey


def read_model_audit(report: str) -> Embedded[ModelAuditResult]:
    """Read the result of a model audit from its report, or say in a sentence what is wrong with it."""
    embedded = read_embedded(report, MODEL_AUDIT)
    if embedded.result.spec.data != ARRAYS:
        MODEL_AUDIT.check_portable(embedded.result.spec)
    return embedded


def check_model_report(
    text: str, embedded: Embedded[ModelAuditResult], *, signer: PublicKey | None = None
) -> list[Check]:
    """Whether what a reader sees follows from the result, and the result from its own counts."""
    rebuilt = build_model_report(embedded.result, created=embedded.created, signer=signer)
    counted = compare_trees(*_both(embedded.result))
    words = f"{counted.compared:,} rates, gaps, ratios and ceilings worked out from counts"
    return [check_shown(text, rebuilt, embedded), Check("arithmetic", counted, words), check_digest(embedded)]


def check_people(result: ModelAuditResult, people: People) -> Check:
    """Whether these are the people of the report."""
    stated: dict[str, Leaf] = {"sha256": result.provenance.sha256, "rows": result.provenance.rows}
    here: dict[str, Leaf] = {"sha256": people.sha256, "rows": len(people)}
    return Check("data", compare(stated, here), f"sha256 of every value that has a role, {len(people):,} rows")


def check_computed_again(result: ModelAuditResult, again: ModelAuditResult) -> Check:
    """Whether the same audit, computed again from the rows, gives the same numbers."""
    return check_again(_in_common(result), _in_common(again))


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

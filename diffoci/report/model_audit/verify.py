"""Check the report of a model audit against itself, against the people, and against the same audit computed again."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from diffoci.data.sources import takes_file
from diffoci.model_audit.people import People
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.checks.agreement import Agreement, Leaf, compare, compare_pairs, compare_trees
from diffoci.report.checks.check import Check, check_again, check_digest, check_shown
from diffoci.report.checks.model_arithmetic import model_pairs
from diffoci.report.model_audit.build import ARRAYS, build_model_report
from diffoci.report.writing.embedded import Embedded, read_embedded
from diffoci.signing.keys import PublicKey


def read_model_audit(report: str) -> Embedded[ModelAuditResult]:
    """Read the result of a model audit from its report, or say in a sentence what is wrong with it."""
    embedded = read_embedded(report, MODEL_AUDIT.read_result)
    if embedded.result.spec.data != ARRAYS:
        MODEL_AUDIT.check_portable(embedded.result.spec)
    return embedded


def check_model_report(
    text: str, embedded: Embedded[ModelAuditResult], *, signer: PublicKey | None = None
) -> list[Check]:
    """Whether what a reader sees follows from the result, and the result from its own counts."""
    rebuilt = build_model_report(embedded.result, created=embedded.created, signer=signer)
    counted = _worked_out(embedded.result)
    words = f"{counted.compared:,} numbers and answers worked out from counts"
    return [check_shown(text, rebuilt, embedded), Check("arithmetic", counted, words), check_digest(embedded)]


def _worked_out(result: ModelAuditResult) -> Agreement:
    try:
        with np.errstate(all="ignore"):  # shares of nobody are no number, and no number agrees with them
            return compare_pairs(model_pairs(result))
    except (KeyError, ValueError, TypeError, ArithmeticError):
        raise ValueError(
            "The result in this report is damaged: parts of it are missing or do not belong together."
        ) from None


def check_people(result: ModelAuditResult, people: People) -> Check:
    """Whether these are the people of the report."""
    stated: dict[str, Leaf] = {"sha256": result.provenance.sha256, "rows": result.provenance.rows}
    here: dict[str, Leaf] = {"sha256": people.sha256, "rows": len(people)}
    return Check("data", compare(stated, here), f"sha256 of every value that has a role, {len(people):,} rows")


def check_rows(result: ModelAuditResult, again: ModelAuditResult) -> Check:
    """Whether everything that needs no shuffling is what the rows give."""
    found = compare_trees(_in_common(result), _in_common(again))
    words = f"{found.compared:,} numbers and words computed again from the rows, nothing shuffled for coefficients"
    return Check("rows", found, words)


def check_computed_again(result: ModelAuditResult, again: ModelAuditResult) -> Check:
    """Whether the same audit, computed again from the rows, gives the same numbers."""
    return check_again(_in_common(result), _in_common(again))


def _in_common(result: ModelAuditResult) -> Any:
    plain = msgspec.to_builtins(replace(result, id="", spec=MODEL_AUDIT.portable(result.spec)))
    for name in ("seconds", "versions", "device"):
        plain["provenance"].pop(name, None)
    plain["spec"].pop("device", None)
    plain["spec"].pop("data", None)  # a file of one's own may have been renamed
    if takes_file(result.spec.data):
        for name in ("name", "title", "source"):
            plain["provenance"].pop(name, None)
    return plain

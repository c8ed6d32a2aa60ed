"""Check a report against itself, against the data, and against the same audit run again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from diffoci.audit.result import AuditResult
from diffoci.audit.study import AUDIT
from diffoci.data.dataset import Dataset
from diffoci.data.sources import takes_file
from diffoci.data.summary import group_sizes
from diffoci.report._shortening import check_left_out, left_out_numbers, without
from diffoci.report.build import LARGEST, build_report, public_audit
from diffoci.report.checks.agreement import Leaf, compare, compare_pairs, leaves
from diffoci.report.checks.arithmetic import recomputed
from diffoci.report.checks.check import Check, check_again, check_digest, check_shown
from diffoci.report.writing.embedded import Embedded, read_embedded
from diffoci.signing.keys import PublicKey

# What says how and when a result was made; two runs of one audit may differ in it.
_CIRCUMSTANCES = (
    ("id",),
    ("provenance", "seconds"),
    ("provenance", "versions"),
    ("provenance", "device"),
    ("spec", "device"),
    ("spec", "data"),
)
MOST_BYTES_OF_NUMBER = 30  # with what stands between two


def read_audit(report: str) -> Embedded[AuditResult]:
    """Read the result of an audit from its report, or say in a sentence what is wrong with it."""
    embedded = read_embedded(report, AUDIT.read_result)
    check_left_out(embedded.result)
    AUDIT.check_portable(embedded.result.spec)
    return embedded


def check_audit_report(text: str, embedded: Embedded[AuditResult], *, signer: PublicKey | None = None) -> list[Check]:
    """Whether what a reader sees follows from the result, and the result from its own seeds and counts."""
    rebuilt = build_report(embedded.result, created=embedded.created, signer=signer)
    needlessly = _leaves_out_needlessly(embedded.result, rebuilt)
    seen = check_shown(text, rebuilt, embedded, needlessly_left_out=needlessly)
    return [seen, _check_arithmetic(embedded.result), check_digest(embedded)]


def _leaves_out_needlessly(result: AuditResult, rebuilt: str) -> bool:
    """Whether a report that says to be too large for some numbers would not be with them."""
    missing = left_out_numbers(result) * MOST_BYTES_OF_NUMBER
    return bool(result.left_out) and len(rebuilt.encode()) + missing <= LARGEST


def _check_arithmetic(result: AuditResult) -> Check:
    """Whether means, intervals, rates, verdicts, dropped features and findings follow from seeds and counts."""
    agreement = compare_pairs(recomputed(result))
    return Check("arithmetic", agreement, f"{agreement.compared:,} numbers worked out again from seeds and counts")


def check_data(result: AuditResult, dataset: Dataset) -> Check:
    """Whether these are the data of the report."""
    entries = ["sha256", "rows", "real"]
    if not takes_file(result.spec.data):  # a file of one's own may have been renamed
        entries += ["title", "source", "licence", "citation", "notes"]
    stated = {entry: getattr(result.provenance, entry) for entry in entries}
    here = {entry: len(dataset) if entry == "rows" else getattr(dataset, entry) for entry in entries}
    return Check(
        "data",
        compare(_data_leaves(stated, result.groups), _data_leaves(here, group_sizes(dataset))),
        f"sha256 of the data, {len(dataset):,} rows, real or simulated, source, group sizes",
    )


def check_rerun(result: AuditResult, again: AuditResult) -> Check:
    """Whether the same audit, run again, gives the same numbers."""
    return check_again(_in_common(result), _in_common(without(public_audit(again), result.left_out)))


def other_versions(result: AuditResult, here: Mapping[str, str]) -> list[str]:
    """Packages whose version is not the report's."""
    made = result.provenance.versions
    return [f"{name} {made.get(name)} (here {here[name]})" for name in here if made.get(name) != here[name]]


def _data_leaves(about: Mapping[str, Any], groups: Mapping[str, Any]) -> dict[str, Leaf]:
    return {**dict(leaves(about, "data")), **dict(leaves(groups, "groups"))}


def _in_common(result: AuditResult) -> dict[str, Any]:
    """A result without what two runs of one audit may differ in."""
    plain: dict[str, Any] = msgspec.to_builtins(result)
    for branch, *further in _CIRCUMSTANCES:
        if further:
            del plain[branch][further[0]]
        else:
            del plain[branch]
    return plain

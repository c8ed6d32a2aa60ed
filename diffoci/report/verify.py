"""Check a report against itself, against the data, and against the same audit run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from diffoci.audit.result import AuditResult
from diffoci.data.dataset import Dataset
from diffoci.data.sources import takes_file
from diffoci.data.summary import group_sizes
from diffoci.report._shortening import left_out_numbers, without
from diffoci.report.build import LARGEST, build_report
from diffoci.report.checks.agreement import Agreement, Leaf, compare, compare_trees, leaves, together
from diffoci.report.checks.arithmetic import recomputed
from diffoci.report.checks.shown import drawn, is_as_written, numbers_in, shown
from diffoci.report.writing.embedded import Embedded, public
from diffoci.runs.provenance import versions
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


@dataclass(frozen=True)
class Check:
    """One comparison, in words."""

    name: str
    agreement: Agreement
    words: str


def check_shown(text: str, embedded: Embedded, *, signer: PublicKey | None = None) -> Check:
    """Whether everything a reader sees is what the embedded result gives, and who signed it."""
    rebuilt = build_report(embedded.result, created=embedded.created, signer=signer)
    again, found = shown(rebuilt), shown(text)
    if not is_of_another_version(embedded):
        frame = "markup, style and scripts"
        again[frame] = "as written"
        found[frame] = "as written" if is_as_written(text, rebuilt) else "changed"
    found["left out"] = "what no report of this size leaves out" if _leaves_out_needlessly(embedded, rebuilt) else ""
    again["left out"] = ""
    agreement = together(compare(found, again), compare_trees(drawn(text), drawn(rebuilt), "picture"))
    words = f"{agreement.compared:,} sentences, cells and marks of pictures ({numbers_in(again):,} numbers in words)"
    return Check("shown", agreement, f"{words} against the embedded result")


def _leaves_out_needlessly(embedded: Embedded, rebuilt: str) -> bool:
    """Whether a report that says to be too large for some numbers would not be with them."""
    missing = left_out_numbers(embedded.result) * MOST_BYTES_OF_NUMBER
    return bool(embedded.result.left_out) and len(rebuilt.encode()) + missing <= LARGEST


def is_of_another_version(embedded: Embedded) -> bool:
    """Whether another version wrote the report, whose markup and style nobody here can tell from added ones."""
    return embedded.written_by != versions()["diffoci"]


def check_arithmetic(embedded: Embedded) -> Check:
    """Whether means, intervals, rates, verdicts, dropped features and findings follow from seeds and counts."""
    agreement = compare(*recomputed(embedded.result))
    return Check("arithmetic", agreement, f"{agreement.compared:,} numbers worked out again from seeds and counts")


def check_digest(embedded: Embedded) -> Check:
    """Whether the embedded result is what was written."""
    same = (
        Agreement(1) if embedded.intact else compare({"embedded result": "changed"}, {"embedded result": "as written"})
    )
    return Check("digest", same, "the embedded result against its sha256")


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
    agreement = compare_trees(_in_common(result), _in_common(without(public(again), result.left_out)))
    words = f"{agreement.compared:,} numbers and words of the result, largest difference {agreement.largest:.2g}"
    return Check("rerun", agreement, words)


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

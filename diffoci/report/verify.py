"""Check a report against itself, against the data, and against the same audit run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diffoci.data.dataset import Dataset
from diffoci.data.summary import group_sizes
from diffoci.figures.reading import Result
from diffoci.report.agreement import Agreement, Leaf, compare, leaves
from diffoci.report.arithmetic import recomputed
from diffoci.report.build import build_report
from diffoci.report.embedded import Embedded, public
from diffoci.report.shortening import left_out, without
from diffoci.report.shown import is_as_written, numbers_in, shown
from diffoci.runs.provenance import versions

# What says how and when a result was made; two runs of one audit may differ in it.
_CIRCUMSTANCES = (
    "id",
    "provenance › seconds",
    "provenance › versions",
    "provenance › device",
    "spec › device",
    "spec › data",
)


@dataclass(frozen=True)
class Check:
    """One comparison, in words."""

    name: str
    agreement: Agreement
    words: str


def check_shown(text: str, embedded: Embedded) -> Check:
    """Whether everything a reader sees is what the embedded result gives."""
    rebuilt = build_report(embedded.result, created=embedded.created)
    again, found = shown(rebuilt), shown(text)
    if not is_of_another_version(embedded):
        frame = "markup, style and scripts"
        again[frame] = "as written"
        found[frame] = "as written" if is_as_written(text, rebuilt) else "changed"
    agreement = compare(found, again)
    count = numbers_in(again)
    words = f"{count:,} numbers in {len(again):,} cells, sentences and marks of pictures against the embedded result"
    return Check("shown", agreement, words)


def is_of_another_version(embedded: Embedded) -> bool:
    """Whether another version wrote the report, whose markup and style nobody here can tell from added ones."""
    return embedded.written_by != versions()["diffoci"]


def check_arithmetic(embedded: Embedded) -> Check:
    """Whether means, intervals, rates, verdicts and dropped features follow from seeds and counts."""
    agreement = compare(*recomputed(embedded.result))
    return Check("arithmetic", agreement, f"{agreement.compared:,} numbers worked out again from seeds and counts")


def check_digest(embedded: Embedded) -> Check:
    """Whether the embedded result is what was written."""
    same = (
        Agreement(1) if embedded.intact else compare({"embedded result": "changed"}, {"embedded result": "as written"})
    )
    return Check("digest", same, "the embedded result against its sha256")


def check_data(result: Result, dataset: Dataset) -> Check:
    """Whether these are the data of the report."""
    own = str(result["spec"]["data"]).startswith("csv:")  # a file of one's own may have been renamed
    stated = {**_about(result["provenance"], own=own), **_groups(result["groups"])}
    found = {**_about({**vars(dataset), "rows": len(dataset)}, own=own), **_groups(group_sizes(dataset))}
    return Check(
        "data",
        compare(stated, found),
        f"sha256 of the data, {len(dataset):,} rows, real or simulated, source, group sizes",
    )


def check_rerun(result: Result, again: Result) -> Check:
    """Whether the same audit, run again, gives the same numbers."""
    agreement = compare(_result_leaves(result), _result_leaves(without(public(again), left_out(result))))
    words = f"{agreement.compared:,} numbers and words of the result, largest difference {agreement.largest:.2g}"
    return Check("rerun", agreement, words)


def other_versions(result: Result, here: Mapping[str, str]) -> list[str]:
    """Packages whose version is not the report's."""
    made = result["provenance"]["versions"]
    return [f"{name} {made.get(name)} (here {here[name]})" for name in here if made.get(name) != here[name]]


def _about(provenance: Mapping[str, Any], *, own: bool) -> dict[str, Leaf]:
    """What a report says of its data."""
    entries = ("sha256", "rows", "real", *(() if own else ("title", "source", "licence", "citation", "notes")))
    return dict(leaves({entry: provenance[entry] for entry in entries}, "data"))


def _groups(groups: Mapping[str, Any]) -> dict[str, Leaf]:
    return dict(leaves(groups, "groups"))


def _result_leaves(result: Result) -> dict[str, Leaf]:
    return {where: leaf for where, leaf in leaves(result) if not where.startswith(_CIRCUMSTANCES)}

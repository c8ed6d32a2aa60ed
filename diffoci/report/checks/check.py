"""What is checked of every report, whatever its study: what it shows, its digest, and the same run computed again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diffoci.report.checks.agreement import Agreement, compare, compare_trees, together
from diffoci.report.checks.shown import drawn, is_as_written, numbers_in, shown
from diffoci.report.writing.embedded import Embedded


@dataclass(frozen=True)
class Check:
    """One comparison, in words."""

    name: str
    agreement: Agreement
    words: str


def check_shown(text: str, rebuilt: str, embedded: Embedded[Any], *, needlessly_left_out: bool = False) -> Check:
    """Whether everything a reader sees is what the report, built anew from its own result, shows."""
    again, found = shown(rebuilt), shown(text)
    if not embedded.of_another_version:
        frame = "markup, style and scripts"
        again[frame] = "as written"
        found[frame] = "as written" if is_as_written(text, rebuilt) else "changed"
    found["left out"] = "what no report of this size leaves out" if needlessly_left_out else ""
    again["left out"] = ""
    agreement = together(compare(found, again), compare_trees(drawn(text), drawn(rebuilt), "picture"))
    words = f"{agreement.compared:,} sentences, cells and marks of pictures ({numbers_in(again):,} numbers in words)"
    return Check("shown", agreement, f"{words} against the embedded result")


def check_digest(embedded: Embedded[Any]) -> Check:
    """Whether the embedded result is what was written."""
    stated = {"embedded result": "as written" if embedded.intact else "changed"}
    return Check("digest", compare(stated, {"embedded result": "as written"}), "the embedded result against its sha256")


def check_again(stated: Any, again: Any) -> Check:
    """Whether what two runs of one specification must have in common is the same."""
    found = compare_trees(stated, again)
    words = f"{found.compared:,} numbers and words of the result, largest difference {found.largest:.2g}"
    return Check("rerun", found, words)

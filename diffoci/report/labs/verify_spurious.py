"""Check the report of a run of the spurious lab against itself, and against the same run computed again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from diffoci.labs.spurious.assemble import area_of
from diffoci.labs.spurious.data.kinds import data_of, kind_of
from diffoci.labs.spurious.means import overlap_of
from diffoci.labs.spurious.methods import method_named
from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.result_file import worked_out
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.checks.agreement import Pair, compare_pairs
from diffoci.report.checks.check import Check, check_again, check_digest, check_shown
from diffoci.report.labs.spurious import build_spurious_report
from diffoci.report.writing.embedded import Embedded, read_embedded
from diffoci.runs.study import Cell
from diffoci.signing.keys import PublicKey


def read_lab_run(report: str) -> Embedded[SpuriousResult]:
    """Read the result of a run from its report, or say in a sentence what is wrong with it."""
    embedded = read_embedded(report, SPURIOUS_LAB)
    SPURIOUS_LAB.check_portable(embedded.result.spec)
    return embedded


def check_lab_report(text: str, embedded: Embedded[SpuriousResult], *, signer: PublicKey | None = None) -> list[Check]:
    """Whether what a reader sees follows from the result, and the result from its repetitions."""
    result = embedded.result
    rebuilt = build_spurious_report(result, created=embedded.created, signer=signer)
    means = compare_pairs(_worked_out(result))
    words = f"{means.compared:,} means and intervals worked out from repetitions"
    return [check_shown(text, rebuilt, embedded), Check("arithmetic", means, words), check_digest(embedded)]


def check_lab_again(result: SpuriousResult, again: SpuriousResult) -> Check:
    """Whether the same run, computed again, gives the same numbers."""
    return check_again(_in_common(result), _in_common(again))


def _worked_out(result: SpuriousResult) -> Iterator[Pair]:
    """What is stated of the data, of methods and over repetitions beside what names and repetitions give."""
    kind = kind_of(result.spec)
    about = (result.title, result.about, result.label_name, result.group_name, result.real, result.fresh)
    yield "data", about, (kind.title, kind.about, kind.label, kind.group, not kind.simulated, kind.fresh)
    yield "overlap of repetitions", result.overlap, overlap_of(result.sizes, fresh=result.fresh)
    yield "pixels of the object", result.area, area_of(result.outcomes)
    for one in result.outcomes:
        yield f"{one.title} › {one.stage}", one, worked_out(result, one)
        method = method_named(one.name)
        yield f"{one.title} › words", (one.title, one.description), (method.title, method.description)
        for found in one.repetitions:
            yield f"{one.title} › groups, seed {found.seed}", len(found.refitted) in (0, len(result.sizes)), True
    for cell in SPURIOUS_LAB.plan(result.spec, data_of(result.spec)):
        if cell.stage != "examples" and cell.id not in result.failures and not _is_there(result, cell):
            yield cell.title, "not there", "trained, or said to have failed"


def _is_there(result: SpuriousResult, cell: Cell) -> bool:
    used = {"penalty": result.spec.training.penalty, "beta": result.spec.training.beta, **cell.settings}
    penalised = method_named(cell.method).penalty
    wanted = (cell.stage, cell.method, *((used["penalty"], used["beta"]) if penalised else (None, None)))
    return any(
        (one.stage, one.name, one.penalty, one.beta) == wanted and any(cell.seed == r.seed for r in one.repetitions)
        for one in result.outcomes
    )


def _in_common(result: SpuriousResult) -> Any:
    """A result without what two runs of the same may differ in: id, times, versions, device and folder."""
    plain = msgspec.to_builtins(replace(result, id="", spec=SPURIOUS_LAB.portable(result.spec)))
    for name in ("seconds", "versions"):
        plain.pop(name, None)
    plain["spec"].pop("device", None)
    for one in plain["outcomes"]:
        for repetition in one["repetitions"]:
            repetition.pop("seconds", None)
    return plain

"""What a run of the spurious lab states, beside what follows from its specification and repetitions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from diffoci.audit.probes import QUICK
from diffoci.labs.spurious.assemble import area_of
from diffoci.labs.spurious.data.kinds import LabData, data_of, kind_of
from diffoci.labs.spurious.means import overlap_of
from diffoci.labs.spurious.methods import method_named
from diffoci.labs.spurious.result import Repetition, SpuriousResult
from diffoci.labs.spurious.result_file import worked_out
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.checks.agreement import Pair

# How far a share of rows may be from whole rows: rounding of single precision.
WHOLE = 1e-3


def spurious_worked_out(result: SpuriousResult) -> Iterator[Pair]:
    """What is stated of the data, of methods and over repetitions beside what names and repetitions give."""
    yield "study", result.study, SPURIOUS_LAB.name
    yield from _of_data(result)
    yield "pixels of the object", result.area, area_of(result.outcomes)
    area = {found.seed: found.area for one in result.outcomes for found in one.repetitions}
    for one in result.outcomes:
        yield f"{one.title} › {one.stage}", one, worked_out(result, one)
        method = method_named(one.name)
        yield f"{one.title} › words", (one.title, one.description), (method.title, method.description)
        for found in one.repetitions:
            where = f"{one.title} › repetition {found.seed}"
            yield f"{where} › pixels of the object", found.area, area[found.seed]
            yield from _of_repetition(result, found, where)
    yield from _of_plan(result)


def _of_plan(result: SpuriousResult) -> Iterator[Pair]:
    """Whether everything that was asked for is there or is said to have failed, once, and nothing else."""
    for name in ("methods", "seeds", "lambdas", "betas"):
        asked = getattr(result.spec, name)
        yield f"{name} asked for more than once", len(asked) - len(set(asked)), 0
    trained = [(one.stage, one.name, one.penalty, one.beta, r.seed) for one in result.outcomes for r in one.repetitions]
    yield "trained more than once", len(trained) - len(set(trained)), 0
    planned, plan = set(), SPURIOUS_LAB.plan(result.spec, data_of(result.spec))
    yield "failures of what was not asked for", sorted(set(result.failures) - {cell.id for cell in plan}), []
    yield "notes", result.notes, ()
    for cell in plan:
        if cell.stage == "examples":
            continue
        used = {"penalty": result.spec.training.penalty, "beta": result.spec.training.beta, **cell.settings}
        weights = (used["penalty"], used["beta"]) if method_named(cell.method).penalty else (None, None)
        one = (cell.stage, cell.method, *weights, cell.seed)
        planned.add(one)
        if cell.id not in result.failures and one not in trained:
            yield cell.title, "not there", "trained, or said to have failed"
    yield "trained without being asked for", len(set(trained) - planned), 0


def _of_data(result: SpuriousResult) -> Iterator[Pair]:
    """The words for the data; of those that are drawn, how many of every group, too."""
    kind = kind_of(result.spec)
    about = (result.title, result.about, result.label_name, result.group_name, result.real, result.fresh)
    yield "data", about, (kind.title, kind.about, kind.label, kind.group, not kind.simulated, kind.fresh)
    yield "overlap of repetitions", result.overlap, overlap_of(result.sizes, fresh=result.fresh)
    yield "digest of the data", bool(re.fullmatch("[0-9a-f]{64}", result.sha256)), True
    images = kind.drawn is not None or (kind.name == "waterbirds" and not result.spec.options.get("backbone"))
    yield "images", result.images, images
    if (drawn := kind.drawn) is None:
        return
    yield "digest of the data", result.sha256, data_of(result.spec).sha256
    names = [(label, group) for label in drawn.labels for group in drawn.groups]
    counts = zip(drawn.training(result.spec.rows).tolist(), drawn.validation, drawn.test, strict=True)
    found = [(size.label, size.group, size.train, size.validation, size.test) for size in result.sizes]
    yield "rows of every group", found, [(*name, *count) for name, count in zip(names, counts, strict=True)]


def _of_repetition(result: SpuriousResult, found: Repetition, where: str) -> Iterator[Pair]:
    """Whether shares of rows are whole rows, and add up to the average; what was chosen and measured could be."""
    rows = np.array(found.rows)
    if found.seed == result.spec.seeds[0] or not kind_of(result.spec).cut:
        yield f"{where} › test rows", list(found.rows), [size.test for size in result.sizes]
    for name, each in (("groups", found.cells), ("groups, new last layer", found.refitted)):
        right = np.array([np.nan if share is None else share for share in each])
        yield f"{where} › {name}", len(each), len(rows)
        if len(each) != len(rows):
            continue
        yield f"{where} › {name} without rows", np.isnan(right).tolist(), (rows == 0).tolist()
        whole = np.abs(right * rows - np.round(right * rows)) < WHOLE
        yield f"{where} › {name} in whole rows", bool((whole | (rows == 0)).all()), True
        if name == "groups" and rows.sum():
            yield f"{where} › average", found.average, float(np.nansum(right * rows) / rows.sum())
    last = result.spec.training.epochs
    yield f"{where} › epoch of the second half", last < 2 * found.epoch <= 2 * last, True
    yield f"{where} › saliency", found.saliency is None, found.area is None
    yield f"{where} › probe", found.probe in (QUICK if found.guessed is not None else ("",)), True
    for name in ("T", "T_given_label"):
        value = getattr(found, name)
        yield f"{where} › {name} is at most 1", value is None or value <= 1, True


def spurious_of_data(result: SpuriousResult, data: LabData) -> Iterator[Pair]:
    """The digest of the data."""
    yield "sha256", result.sha256, data.sha256

"""Put repetitions together: the groups, every method over its seeds, the studies of lambda and beta."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from diffoci.audit.means import mean_over_seeds
from diffoci.audit.result import Mean
from diffoci.labs.spurious.data.examples import Examples
from diffoci.labs.spurious.data.kinds import LabData
from diffoci.labs.spurious.means import outcome, overlap_of
from diffoci.labs.spurious.methods import method_named
from diffoci.labs.spurious.result import CellSize, Outcome, Repetition, SpuriousResult, Stage
from diffoci.labs.spurious.spec import SpuriousSpec
from diffoci.runs.study import Cell, Failures, Made, Outputs


def put_together(
    spec: SpuriousSpec, data: LabData, cells: Sequence[Cell], outputs: Outputs, failures: Failures, made: Made
) -> SpuriousResult:
    """The result of a run."""
    examples = data.examples(spec.seeds[0])
    sizes = sizes_of(examples)
    overlap = overlap_of(sizes, fresh=data.kind.fresh)
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        if cell.id in outputs and cell.stage != "examples":
            groups.setdefault((cell.stage, cell.method, str(sorted(cell.settings.items()))), []).append(cell)
    outcomes = tuple(_outcome(spec, sizes, overlap, own, outputs) for own in groups.values())
    return SpuriousResult(
        failures=failures,
        spec=spec,
        title=data.kind.title,
        about=data.kind.about,
        label_name=data.kind.label,
        group_name=data.kind.group,
        real=not data.kind.simulated,
        fresh=data.kind.fresh,
        overlap=overlap,
        images=examples.are_images,
        sha256=data.sha256,
        sizes=sizes,
        area=area_of(outcomes),
        outcomes=outcomes,
        versions=dict(made.versions),
        seconds=made.seconds,
    )


def area_of(outcomes: Sequence[Outcome]) -> Mean:
    """The share of pixels that the object covers; the images of a repetition are those of every method."""
    return mean_over_seeds([one.area for one in outcomes[0].repetitions] if outcomes else [], most=1.0)


def sizes_of(examples: Examples) -> tuple[CellSize, ...]:
    """How many rows every label has in every group."""
    counts = zip(*(examples.sizes(rows) for rows in (examples.train, examples.validation, examples.test)), strict=True)
    names = [(label, group) for label in examples.labels for group in examples.groups]
    return tuple(
        CellSize(label=label, group=group, train=int(train), validation=int(held), test=int(test))
        for (label, group), (train, held, test) in zip(names, counts, strict=True)
    )


def _outcome(
    spec: SpuriousSpec, sizes: Sequence[CellSize], overlap: float, cells: Sequence[Cell], outputs: Outputs
) -> Outcome:
    method, first = method_named(cells[0].method), cells[0]
    stages: dict[str, Stage] = {"methods": "methods", "lambda": "lambda", "beta": "beta"}
    used = {"penalty": spec.training.penalty, "beta": spec.training.beta, **first.settings}
    return outcome(
        [msgspec.convert(outputs[cell.id].summary, Repetition) for cell in cells],
        sizes,
        name=method.name,
        title=method.title,
        description=method.description,
        stage=stages[first.stage],
        penalty=used["penalty"] if method.penalty else None,
        beta=used["beta"] if method.penalty else None,
        overlap=overlap,
    )

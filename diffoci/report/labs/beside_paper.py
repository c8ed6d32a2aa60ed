"""A run of the fairness tables or of domain shift as one HTML file: every figure beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from diffoci.figures.labs.paper_tables import measured, paper_figure, studies_of
from diffoci.labs.fairness.beside_paper import beside_paper
from diffoci.labs.fairness.result import FairnessResult
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.reproducible import Row
from diffoci.labs.shift.paper_tables import shift_rows
from diffoci.labs.shift.study import DOMAIN_SHIFT, ShiftResult
from diffoci.report._document import Document
from diffoci.report.labs.making import making
from diffoci.report.writing.blocks import Block, Heading, Picture, Section, Table, Words
from diffoci.runs.study import AnyStudy
from diffoci.signing.keys import PublicKey

_LIMITS = (
    "Accuracies on training and validation rows were learnt from or chosen by; those on test rows are the result.",
    "That a figure agrees with the paper's says that it lies within our interval or near it, and no more.",
)


def fairness_document(result: FairnessResult, created: float | None, signer: PublicKey | None) -> Document:
    """Everything the report of the fairness tables says, from the result alone."""
    return _document(FAIRNESS_TABLES, result, beside_paper(result), created, signer)


def shift_document(result: ShiftResult, created: float | None, signer: PublicKey | None) -> Document:
    """Everything the report of a domain shift says, from the result alone."""
    return _document(DOMAIN_SHIFT, result, shift_rows([result]), created, signer)


def row_blocks(rows: Sequence[Row]) -> Iterator[Block]:
    """A picture and a table for every data set and measure."""
    for (study, measure), some in studies_of(rows).items():
        yield Heading(study)
        drawing = paper_figure(some)
        yield Picture(drawing, Table(f"{study}: {measured(measure)}", drawing.data))


def _document(
    study: AnyStudy,
    result: FairnessResult | ShiftResult,
    rows: Sequence[Row],
    created: float | None,
    signer: PublicKey | None,
) -> Document:
    said = f"{study.describe(result.spec)}. Seeds {', '.join(map(str, result.spec.seeds))}."
    return Document(
        title=study.describe(result.spec),
        kicker=f"difFOCI: {study.title}",
        simulated=not result.real,
        sections=(
            Section("What was found", (Words(study.headline(result)), *row_blocks(rows))),
            making(result, result.spec, said=said, limits=_LIMITS, created=created, signer=signer),
        ),
    )

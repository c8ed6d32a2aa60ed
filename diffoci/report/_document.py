"""The report as a document: the answer on one page, then what it rests on, then an appendix with every number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from diffoci.audit.result import AuditResult
from diffoci.audit.words import listed
from diffoci.report.sections import data as data_sections
from diffoci.report.sections import decisions as decision_sections
from diffoci.report.sections import guessing as guessing_sections
from diffoci.report.sections import methods as method_sections
from diffoci.report.sections.page_one import page_one
from diffoci.report.summary import summary
from diffoci.report.writing.blocks import Block, Picture, Section, Words
from diffoci.report.writing.pointers import Pointers
from diffoci.signing.keys import PublicKey


@dataclass(frozen=True, eq=False)
class Document:
    """A title and sections; `simulated` marks every page of it.

    `pointers` finds in the result what shown numbers follow from.
    """

    title: str
    kicker: str
    simulated: bool
    sections: tuple[Section, ...]
    pointers: Pointers = field(default_factory=lambda: Pointers(None))


def document(result: AuditResult, *, created: float | None = None, signer: PublicKey | None = None) -> Document:
    """Everything the report says, from the result alone, and who signed it."""
    about = result.provenance
    return Document(
        title=f"What {about.title} reveals about {listed(result.attributes)}",
        kicker="difFOCI audit report",
        simulated=not about.real,
        sections=(
            page_one(result),
            summary(result),
            *guessing_sections.sections(result),
            *data_sections.sections(result),
            *decision_sections.sections(result),
            *method_sections.sections(result, signer=signer),
            *guessing_sections.appendix(result),
            *data_sections.appendix(result),
            *decision_sections.appendix(result),
            *method_sections.appendix(result, created=created),
        ),
        pointers=Pointers(result),
    )


def without_pointers(whole: Document) -> Document:
    """The same document, whose numbers do not say where in the result they stand: the first thing to do without."""
    return replace(whole, pointers=Pointers(None))


def without_pictures(whole: Document) -> Document:
    """The same document with the table of every picture in its place."""
    said = Words("This audit is so large that its pictures are left out; the table of each stands in its place.")
    sections = [replace(one, blocks=tuple(_undrawn(one.blocks))) for one in whole.sections]
    first = replace(sections[0], blocks=(said, *sections[0].blocks))
    return replace(whole, sections=(first, *sections[1:]))


def _undrawn(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        if not isinstance(block, Picture):
            yield block
        elif block.table is not None:
            yield block.table

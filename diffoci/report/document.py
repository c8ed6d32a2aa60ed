"""The report as a document: every section in the order a sceptic asks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from diffoci.figures.reading import Result, attributes
from diffoci.figures.words import listed
from diffoci.report import data_sections, decision_sections, guessing_sections, method_sections
from diffoci.report.blocks import Picture, Section, Words
from diffoci.report.summary import summary


@dataclass(frozen=True, eq=False)
class Document:
    """A title and sections; `simulated` marks every page of it."""

    title: str
    kicker: str
    simulated: bool
    sections: tuple[Section, ...]


def document(result: Result, *, created: float | None = None) -> Document:
    """Everything the report says, from the result alone."""
    about = result["provenance"]
    return Document(
        title=f"What {about['title']} gives away about {listed(attributes(result))}",
        kicker="difFOCI audit report",
        simulated=not about["real"],
        sections=(
            summary(result),
            *data_sections.sections(result),
            *guessing_sections.sections(result),
            *decision_sections.sections(result),
            *method_sections.sections(result, created=created),
        ),
    )


def without_pictures(whole: Document) -> Document:
    """The same document with the table of every picture in its place."""
    said = Words("This audit is so large that its pictures are left out; the table of each stands in its place.")
    sections = [
        replace(one, blocks=tuple(block.table if isinstance(block, Picture) else block for block in one.blocks))
        for one in whole.sections
    ]
    first = replace(sections[0], blocks=(said, *sections[0].blocks))
    return replace(whole, sections=(first, *sections[1:]))

"""The report as a document: every section in the order a sceptic asks."""

from __future__ import annotations

from dataclasses import dataclass

from diffoci.figures.reading import Result, attributes
from diffoci.figures.words import listed
from diffoci.report import data_sections, decision_sections, guessing_sections, method_sections
from diffoci.report.blocks import Section
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

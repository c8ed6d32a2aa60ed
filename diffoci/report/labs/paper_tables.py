"""Tables of the paper beside ours, as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from diffoci.labs.reproducible import Reproduced
from diffoci.report._document import Document
from diffoci.report.labs.beside_paper import row_blocks
from diffoci.report.writing.blocks import Block, Code, Points, Section, Words
from diffoci.report.writing.page import page


def paper_page(done: Sequence[Reproduced], *, preset: str) -> str:
    """Write the file: a section for every table, with a picture and a table for every data set in it."""
    return page(
        Document(
            title="The paper's tables, run again",
            kicker="difFOCI",
            simulated=False,
            sections=tuple(Section(one.table.title, tuple(_blocks(one, preset))) for one in done),
        )
    )


def _blocks(one: Reproduced, preset: str) -> Iterator[Block]:
    yield Words(one.table.about)
    yield from row_blocks(one.rows)
    if one.notes:
        yield Points(one.notes)
    yield Code(f"python -m diffoci reproduce {one.table.name} --preset {preset}")

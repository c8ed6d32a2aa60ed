"""A document as Markdown, in which nothing a user wrote is taken for markup."""

from __future__ import annotations

import re

from diffoci.report.blocks import Block, Code, Heading, Picture, Points, Table, Words, cell_text
from diffoci.report.document import Document
from diffoci.unlinked import unlinked

_MARKUP = re.compile(r"([\\`*_\[\]|~$#])")
_LIST = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")


def markdown(document: Document) -> str:
    """Write a document as Markdown with tables."""
    lines = [f"# {plain(document.title)}"]
    for section in document.sections:
        lines.append(f"## {plain(section.title)}")
        lines += [_block(block) for block in section.blocks]
    return "\n\n".join(lines) + "\n"


def plain(text: str) -> str:
    r"""A text that Markdown shows letter by letter and makes no link of.

    >>> plain("<b>*x*"), plain("- a\n# b")
    ('&lt;b&gt;\\*x\\*', '\\- a \\# b')
    """
    one_line = unlinked(" ".join(text.split()))
    safe = _MARKUP.sub(r"\\\1", one_line).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _LIST.sub(r"\1\\\2", safe)  # "- a" or "1. a" at the start would begin a list


def _block(block: Block) -> str:
    match block:
        case Words(text, loud):
            return f"**{plain(text)}**" if loud else plain(text)
        case Heading(text):
            return f"### {plain(text)}"
        case Points(items):
            return "\n".join(f"- {plain(item)}" for item in items)
        case Code(text):
            return f"    {' '.join(text.split())}"
        case Picture(drawing, table):
            return f"{plain(drawing.alt)}\n\n{_table(table)}"
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    rows = [[plain(cell_text(value)) for value in row] for row in table.frame.itertuples(index=False, name=None)]
    head = [plain(str(name)) for name in table.frame.columns]
    lines = [f"**{plain(table.caption)}**", "", _row(head), _row(["---"] * len(head)), *map(_row, rows)]
    return "\n".join(lines + (["", plain(table.note)] if table.note else []))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"

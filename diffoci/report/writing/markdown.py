"""A document as Markdown, in which nothing a user wrote is taken for markup."""

from __future__ import annotations

from diffoci.plain_text import letter_by_letter as plain
from diffoci.report._document import Document
from diffoci.report.writing.blocks import Answer, Block, Code, Heading, Picture, Points, Table, Words, cell_text


def markdown(document: Document) -> str:
    """Write a document as Markdown with tables."""
    lines = [f"# {plain(document.title)}"]
    for section in document.sections:
        lines.append(f"## {plain(section.title)}")
        lines += [_block(block) for block in section.blocks]
    return "\n\n".join(lines) + "\n"


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
        case Answer(question, sentences):
            return "\n".join([f"### {plain(question)}", "", *(f"- {plain(one.text)}" for one in sentences)])
        case Picture(drawing, table):
            return plain(drawing.alt) + ("" if table is None else f"\n\n{_table(table)}")
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    rows = [[plain(cell_text(value)) for value in row] for row in table.frame.itertuples(index=False, name=None)]
    head = [plain(str(name)) for name in table.frame.columns]
    lines = [f"**{plain(table.caption)}**", "", _row(head), _row(["---"] * len(head)), *map(_row, rows)]
    return "\n".join(lines + (["", plain(table.note)] if table.note else []))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"

"""What a document is made of: sections of words, points, tables and pictures, before it is HTML or Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from diffoci.figures import Drawing

NOTHING = "–"
_NUMBERS = re.compile(r"[−\d](?:[\d.,%()−+ ]|to|of)*")


@dataclass(frozen=True, eq=False)
class Follows:
    """Where a shown text comes from: a part of the result, and how it is written from there.

    `part` is the part itself, an object or a dictionary of the result; `entry` names what of it is shown. `how` is one
    of the ways of writing in `self_check.js`, with which a browser writes the text anew.
    """

    part: Any
    how: str
    entry: str = ""


Sources = Mapping[str, Sequence[Follows | None]]  # of the cells of a table, by column


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence whose numbers say where they come from, in the order in which they stand."""

    text: str
    numbers: tuple[tuple[str, Follows], ...] = ()


@dataclass(frozen=True, eq=False)
class Answer:
    """A question with the sentences that answer it."""

    question: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class Words:
    """A paragraph. `loud` sets it in large type: for what nobody may overlook."""

    text: str
    loud: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """A line to type."""

    text: str


@dataclass(frozen=True, eq=False)
class Table:
    """A table with its caption; the first column names the row.

    `follows` says of columns, by name, where each of their cells comes from; None of a cell that is no number.
    """

    caption: str
    frame: pd.DataFrame
    note: str = ""
    follows: Sources = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure and the table that says the same without it; None where that table stands in the next section."""

    drawing: Drawing
    table: Table | None


Block = Words | Heading | Points | Code | Table | Picture | Answer


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a document with its title; a folded one belongs to the appendix and is opened by whoever wants it."""

    title: str
    blocks: tuple[Block, ...]
    folded: bool = False

    def tables(self) -> Iterator[Table]:
        """Every table, those of pictures too."""
        for block in self.blocks:
            if isinstance(block, Table):
                yield block
            elif isinstance(block, Picture) and block.table is not None:
                yield block.table


def cell_text(value: Any) -> str:
    """A cell as a reader sees it.

    >>> cell_text(0.12345), cell_text(1234), cell_text(True), cell_text(None), cell_text("a")
    ('0.123', '1,234', 'yes', '–', 'a')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value != value:
        return NOTHING
    if isinstance(value, float):
        text = f"{value:.3f}"
        return text.replace("-0.000", "0.000").replace("-", "−")
    return f"{value:,}"


def is_number_text(text: str) -> bool:
    """Whether a cell is set to the right, as numbers are.

    >>> is_number_text("77.6 % (70.1 to 80.0 %)"), is_number_text("−0.3"), is_number_text("3 schools")
    (True, True, False)
    """
    return text == NOTHING or _NUMBERS.fullmatch(text) is not None

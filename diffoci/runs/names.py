"""What people call a run, and what they noted about it: kept beside the run, so that it changes no number."""

from __future__ import annotations

import contextlib
import re
from typing import Annotated

from msgspec import Meta, Struct

from diffoci.runs.files import write_json
from diffoci.runs.run_files import SCHEMA, read_file
from diffoci.runs.store import NAME_FILE, Run

LONGEST_NAME, LONGEST_NOTE = 80, 1000  # letters
# Control characters but for tabs and line ends, halves of characters, and signs that turn the direction of writing.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class NameFile(Struct, frozen=True, kw_only=True):
    """name.json: both are plain text, shown letter by letter, and either may be empty."""

    schema: int = SCHEMA
    name: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    note: Annotated[str, Meta(max_length=LONGEST_NOTE)] = ""


def named(run: Run) -> NameFile:
    """Return the name and note of a run, empty where it has none or its file is damaged."""
    with contextlib.suppress(ValueError, OSError):
        if (path := run.folder / NAME_FILE).is_file():
            return read_file(path, NameFile)
    return NameFile()


def give_name(run: Run, name: str, *, note: str | None = None) -> NameFile:
    """Name a run, or take its name away by an empty one; a note that is not given stays as it is.

    Raises
    ------
    ValueError
        Where either is too long.
    """
    chosen = NameFile(name=plain_line(name), note=named(run).note if note is None else _plain_text(note))
    for what, text, most in (("name", chosen.name, LONGEST_NAME), ("note", chosen.note, LONGEST_NOTE)):
        if len(text) > most:
            raise ValueError(f"The {what} has {len(text):,} letters; at most {most:,} are kept. Shorten it.")
    write_json(run.folder / NAME_FILE, chosen)
    return chosen


def plain_line(text: str) -> str:
    r"""Return a text on one line, without control characters.

    >>> plain_line("  first\tquarter\x1b[31m\n")
    'first quarter[31m'
    """
    return " ".join(_plain_text(text).split())


def _plain_text(text: str) -> str:
    return _STEERING.sub("", text).strip()

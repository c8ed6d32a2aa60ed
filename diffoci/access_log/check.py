"""Check the access log: every line that was removed, changed, moved or cut off is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from diffoci.access_log._chain import Mark, held, read_mark
from diffoci.access_log._places import files_of
from diffoci.access_log.entry import FIRST, Entry, digest, read_entry

__all__ = ["BEGIN", "Checked", "Mark", "check_log", "read_log"]

BEGIN = Mark(lines=0, sha256=FIRST)


@dataclass(frozen=True)
class Checked:
    """What was found: how many lines there are, the first and last of them, how far they go, and what is wrong."""

    lines: int
    first: Entry | None
    last: Entry | None
    mark: Mark
    problems: tuple[str, ...]


def check_log(log: Path, head: Path, *, known: Mark | None = None, since: Mark = BEGIN) -> Checked:
    """Check every line against the one before, the last against the head, and one against what was noted earlier.

    Files of the log that were set aside are read with it where they lie beside it.

    Parameters
    ----------
    log, head : Path
        The file of lines, and the one that says which is the last.
    known : Mark, optional
        How far the log went at an earlier time, from a note that was kept elsewhere.
    since : Mark, optional
        The last line of what was set aside and taken away: the first line that is here must follow it.
    """
    if not log.is_file():
        raise ValueError(_gone(log, read_mark(head)))
    with held(log):
        return _checked(_lines(log), read_mark(head), known, since, head)


def read_log(log: Path) -> list[Entry]:
    """Return the entries of a log, those set aside included; what is no line of one is left out."""
    if not log.is_file():
        raise ValueError(_gone(log, None))
    return [entry for _, line in _lines(log) if (entry := read_entry(line)) is not None]


def _gone(log: Path, head: Mark | None) -> str:
    if head is not None:
        return f"The access log {log} is gone: it had {head.lines:,} lines."
    return f"There is no access log {log}; one begins with sign-in, or where DIFFOCI_ACCESS_LOG names its file."


def _lines(log: Path) -> Iterator[tuple[str, bytes]]:
    """Each line of each file, with where it stands."""
    for path in files_of(log):
        name = "the file" if path == log else path.name
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                whole = line.endswith(b"\n")
                yield (
                    f"Line {number} of {name}",
                    line.removesuffix(b"\n") if whole else line + b" ",
                )  # no line of the log


def _checked(
    lines: Iterable[tuple[str, bytes]], head: Mark | None, known: Mark | None, since: Mark, place: Path
) -> Checked:
    problems: list[str] = []
    first = last = None
    count, mark, seen = 0, since, {since.lines: since.sha256}
    for where, line in lines:
        count += 1
        entry = read_entry(line)
        if entry is None or entry.line() != line:
            problems.append(f"{where} is no line of the log: it was changed, or is not whole.")
            continue
        problems += _between(mark, entry)
        first, last = first or entry, entry
        mark = Mark(lines=entry.n, sha256=digest(line))
        seen[mark.lines] = mark.sha256
    problems += _against_head(mark, head, seen, place)
    if known is not None and seen.get(known.lines) != known.sha256:
        problems.append(f"Line {known.lines}, noted earlier, is missing or another one: the log was written anew.")
    return Checked(count, first, last, mark, tuple(dict.fromkeys(problems)))


def _between(before: Mark, entry: Entry) -> Iterator[str]:
    """What is wrong between a line and the one before it."""
    if entry.n > before.lines + 1:
        yield f"{_counted(before.lines + 1, entry.n - 1)} missing before line {entry.n}."
    elif entry.n <= before.lines:
        yield f"Line {entry.n} stands after line {before.lines}: lines were moved, or put in."
    elif entry.previous != before.sha256:
        yield (
            f"Line {before.lines} was changed: line {entry.n} follows another."
            if before.lines
            else f"Line {entry.n} does not begin a log: it follows another line."
        )


def _against_head(mark: Mark, head: Mark | None, seen: dict[int, str], place: Path) -> Iterator[str]:
    """What is wrong with the end of the log."""
    if head is None:
        yield f"{place} is missing or damaged, so nobody can tell whether lines were cut off the end."
    elif head.lines > mark.lines:
        yield f"{_counted(mark.lines + 1, head.lines)} missing at the end."
    elif seen.get(head.lines) != head.sha256:
        yield f"Line {head.lines} was changed: it is not the one that was written last."
    elif mark.lines > head.lines + 1:  # a process that is killed leaves one line of which the head does not know yet
        yield f"{_counted(head.lines + 1, mark.lines, 'was', 'were')} added by something other than this program."


def _counted(first: int, last: int, one: str = "is", more: str = "are") -> str:
    return f"Line {first} {one}" if first == last else f"Lines {first} to {last} {more}"

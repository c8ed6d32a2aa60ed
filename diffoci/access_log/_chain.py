"""Lines that follow one another: each has the digest of the one before, and a file apart says which is the last."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from diffoci.access_log._places import most_bytes, older_file
from diffoci.access_log.entry import FIRST, Digest, Entry, digest, read_entry
from diffoci.runs.files import write_atomically

_LONGEST_LINE = 4096  # bytes; the longest that is written has half of it


class Mark(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How far the log went: the number of its last line, and that line's digest."""

    lines: Annotated[int, Meta(ge=0)]
    sha256: Digest

    def __str__(self) -> str:
        return f"{self.lines}:{self.sha256}"


def append(log: Path, head: Path, **fields: Any) -> None:
    """Add a line that follows the last one, and have it on the disk before returning; other processes wait.

    Where lines were cut off, the new one follows the last that the head knows of: the gap stays to be seen.
    """
    descriptor = _held_alone(log)
    try:
        size = _end_of_whole_lines(descriptor)
        before = _last(descriptor, size, read_mark(head))
        if size >= most_bytes() and not older_file(log, before.lines).exists():
            os.ftruncate(descriptor, size)
            descriptor, size = _continued(descriptor, log, before), 0
        now = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        line = msgspec.convert({"n": before.lines + 1, "time": now, **fields, "previous": before.sha256}, Entry).line()
        os.ftruncate(descriptor, size)  # of a line that was never finished
        try:
            _write(descriptor, line + b"\n")
            write_atomically(head, msgspec.json.encode(Mark(lines=before.lines + 1, sha256=digest(line))) + b"\n")
        except BaseException:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def set_aside(log: Path, head: Path) -> tuple[Path, Mark] | None:
    """Let the log go on in a new file; return where the lines so far lie and which is their last, if there are any."""
    if not log.is_file():
        return None
    descriptor = _held_alone(log)
    try:
        size = _end_of_whole_lines(descriptor)
        if not size:
            return None
        before = _last(descriptor, size, read_mark(head))
        older = older_file(log, before.lines)
        if older.exists():
            raise ValueError(f"{older} is there already; move it away before the log goes on in a new file.")
        os.ftruncate(descriptor, size)
        descriptor = _continued(descriptor, log, before)
        return older, before
    finally:
        os.close(descriptor)


def _held_alone(log: Path) -> int:
    """Open the log and keep others from it until it is closed, however this process ends."""
    while True:
        descriptor = os.open(log, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(log)):
                return descriptor
        os.close(descriptor)  # it was set aside while this process waited


def _continued(descriptor: int, log: Path, last: Mark) -> int:
    """Set the held file aside, and return a new one, held."""
    log.rename(older_file(log, last.lines))
    new = _held_alone(log)
    os.close(descriptor)
    return new


@contextlib.contextmanager
def held(log: Path) -> Iterator[None]:
    """Keep others from adding lines while the log is read."""
    with log.open("rb") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_SH)
        yield


def read_mark(head: Path) -> Mark | None:
    """Return what the head says, or None where there is none or it is damaged."""
    try:
        return msgspec.json.decode(head.read_bytes(), type=Mark)
    except (FileNotFoundError, msgspec.MsgspecError, ValueError):
        return None


def _end_of_whole_lines(descriptor: int) -> int:
    """Return where the last whole line ends."""
    size = os.fstat(descriptor).st_size
    while size:
        start = max(0, size - _LONGEST_LINE)
        found = os.pread(descriptor, size - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        size = start
    return 0


def _last(descriptor: int, size: int, head: Mark | None) -> Mark:
    """Return the line to follow: the last of the file, or of the head where the file has lost that one."""
    start = max(0, size - _LONGEST_LINE)
    *_, line = os.pread(descriptor, size - start, start).rstrip(b"\n").split(b"\n")
    entry = read_entry(line)
    last = Mark(lines=0, sha256=FIRST) if entry is None else Mark(lines=entry.n, sha256=digest(line))
    return last if head is None or last == head or last.lines > head.lines else head


def _write(descriptor: int, content: bytes) -> None:
    if os.write(descriptor, content) != len(content):
        raise OSError("The disk is full: the access log could not be written. Free some space.")
    os.fsync(descriptor)

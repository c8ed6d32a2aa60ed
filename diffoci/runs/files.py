"""Files that are whole or absent: atomic writes, and lines that survive a torn end."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_PART = ".part"


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` so that `path` holds all of it or what it held before, whatever happens meanwhile.

    Raises
    ------
    OSError
        With a sentence for the user where the disk is full or the folder is read-only.
    """
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_PART)
    except OSError as problem:
        raise in_words(problem, path) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except BaseException as problem:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise in_words(problem, path) from None
        raise


@contextlib.contextmanager
def said_in_words(path: Path) -> Iterator[None]:
    """Say in a sentence why `path` could not be written or made inside, where the system only gives a number."""
    try:
        yield
    except OSError as problem:
        raise in_words(problem, path) from None


def in_words(problem: OSError, path: Path) -> OSError:
    """Say why a file could not be written and what to do."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return OSError(f"The disk is full: {path.name} could not be written. Free some space and resume.")
    if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return OSError(
            f"The folder {path.parent} cannot be written to; make it writable and resume, or choose another folder."
        )
    return problem


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the platform can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def remove_parts(folder: Path) -> None:
    """Clear away what killed processes left half-written."""
    for part in folder.glob(f".*{_PART}"):
        part.unlink(missing_ok=True)


def write_json(path: Path, values: Mapping[str, Any], *, finite: bool = True, indent: int | None = None) -> None:
    """Write one JSON object atomically; with `finite`, numbers JSON does not know (NaN, infinity) become null."""
    text = json.dumps(plain(values, finite=finite), ensure_ascii=False, allow_nan=not finite, indent=indent)
    write_atomically(path, text.encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object, or say in a sentence that the file is damaged."""
    try:
        values = json.loads(path.read_bytes())
    except (json.JSONDecodeError, UnicodeDecodeError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"The file {path} is damaged: it does not hold a JSON object.")
    return values


def overwrite_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write over a short file where it lies: a full disk has no room for a second one before the first is gone."""
    with path.open("r+b") as file:
        file.write(json.dumps(plain(values, finite=True), ensure_ascii=False).encode() + b"\n")
        file.truncate()
        os.fsync(file.fileno())


def ends_whole(path: Path) -> bool:
    """Say, from its end alone, whether a file of one JSON object was written to the end."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 64))
            end = file.read().rstrip()
            return end.endswith(b"\n}") or (b"\n" not in end and end.endswith(b"}"))  # not the end of a part of it
    except OSError:
        return False


def append_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Add one line of JSON for each record, all in a single write."""
    text = "".join(json.dumps(plain(record, finite=True), ensure_ascii=False) + "\n" for record in records)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def read_lines(path: Path, *, last_bytes: int | None = None) -> list[dict[str, Any]]:
    """Read the records of a file of lines; a line that is not whole (yet, or any more) is left out."""
    try:
        with path.open("rb") as file:
            if last_bytes is not None:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - last_bytes))
            return list(_whole_records(file.read().split(b"\n")))
    except FileNotFoundError:
        return []


def _whole_records(lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def plain(value: Any, *, finite: bool = False) -> Any:
    """Turn numpy and torch values into Python's; with `finite`, NaN and infinity into None.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"theta": np.array([1.0, np.nan])}, finite=True)
    {'theta': [1.0, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry, finite=finite) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry, finite=finite) for entry in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return None if finite and not math.isfinite(value) else float(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist(), finite=finite)
    raise TypeError(f"A {type(value).__name__} cannot be written as JSON.")

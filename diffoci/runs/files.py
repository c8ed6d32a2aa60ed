"""Files that are whole or absent: atomic writes, and reads that no pipe or folder in a file's place can hold up."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import shutil
import stat
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from diffoci.runs.typed_json import parse

_PART = ".part"
_DELETING = ".deleting-"
_DELETING_SECONDS = 3600.0  # far longer than deleting takes
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_SAID = {
    errno.ENOENT: "There is no {path}; check its name and folder.",
    errno.EISDIR: "{path} is a folder where a file is needed; choose another name.",
    errno.ENOTDIR: "A part of {path} is a file where a folder is needed; choose another.",
    errno.EEXIST: "{path} is there already; choose another name.",
    errno.ENOTEMPTY: "The folder {path} is not empty; choose another.",
    errno.ENAMETOOLONG: "The name of {path} is too long for this disk; choose a shorter one.",
    errno.ELOOP: "{path} is a link that leads back to itself; choose another name.",
    errno.EMFILE: "Too many files are open, so {path} could not be; end other programs and try again.",
}


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
    """Say why a file could not be read or written, and what to do."""
    if problem.errno is None:
        return problem  # it was said in words
    if problem.errno in _FULL:
        return OSError(f"The disk is full: {path.name} could not be written. Free some space and resume.")
    if problem.errno in _FORBIDDEN and path.is_file() and not os.access(path, os.R_OK):
        return OSError(f"The file {path} cannot be read by this user; change its permissions, or choose another file.")
    if problem.errno in _FORBIDDEN:
        return OSError(
            f"The folder {path.parent} cannot be written to; make it writable and resume, or choose another folder."
        )
    said = _SAID.get(problem.errno, f"The system refused {{path}}: {os.strerror(problem.errno).lower()}.")
    return OSError(said.format(path=path))


def is_of_disk(problem: OSError) -> bool:
    """Say whether a file could not be written because the disk is full or may not be written to."""
    return problem.errno in (*_FULL, *_FORBIDDEN)


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


def remove_folder(folder: Path) -> None:
    """Delete a folder with everything in it. It loses its name first: nobody ever finds half of it."""
    hidden = folder.with_name(f"{_DELETING}{uuid.uuid4().hex}")
    with said_in_words(folder):
        folder.rename(hidden)
        os.utime(hidden)
        shutil.rmtree(hidden)


def finish_removing(parent: Path) -> None:
    """Delete what a killed process had begun to delete below a folder."""
    for folder in parent.glob(f"{_DELETING}*"):
        with contextlib.suppress(OSError):  # finished meanwhile
            if time.time() - folder.stat().st_mtime > _DELETING_SECONDS:
                shutil.rmtree(folder)


Values = Mapping[str, Any] | msgspec.Struct


def write_json(path: Path, values: Values, *, finite: bool = True, indent: int | None = None) -> None:
    """Write one JSON object atomically; with `finite`, numbers JSON does not know (NaN, infinity) become null."""
    text = json.dumps(plain(values, finite=finite), ensure_ascii=False, allow_nan=not finite, indent=indent)
    write_atomically(path, text.encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object, or say in a sentence that the file is damaged."""
    return parse(read_bytes(path), f"The file {path}")


def read_bytes(path: Path) -> bytes:
    """Read a whole file, and nothing but a file."""
    with opened(path) as file:
        return file.read()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; a pipe, on which a reader would wait, a folder or a device in its place is refused."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError(f"{path} is not a file but a folder, a pipe or a device; put it right, or delete it.")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def names_path(file: Path, path: Path) -> bool:
    """Say whether a file of JSON, damaged or not, names a path or one below it; one that is gone does not."""
    try:
        return json.dumps(str(path), ensure_ascii=False)[1:-1].encode() in read_bytes(file)
    except (OSError, ValueError):
        return False


def overwrite_json(path: Path, values: Values) -> None:
    """Write over a short file where it lies: a full disk has no room for a second one before the first is gone."""
    with path.open("r+b") as file:
        file.write(json.dumps(plain(values, finite=True), ensure_ascii=False).encode() + b"\n")
        file.truncate()
        os.fsync(file.fileno())


def ends_whole(path: Path) -> bool:
    """Say, from its end alone, whether a file of one JSON object was written to the end."""
    try:
        with opened(path) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 64))
            end = file.read().rstrip()
            return end.endswith(b"\n}") or (b"\n" not in end and end.endswith(b"}"))  # not the end of a part of it
    except (OSError, ValueError):
        return False


def append_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Add one line of JSON for each record, all in a single write."""
    text = "".join(json.dumps(plain(record, finite=True), ensure_ascii=False) + "\n" for record in records)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def plain(value: Any, *, finite: bool = False) -> Any:
    """Turn structs, numpy and torch values into Python's; with `finite`, NaN and infinity into None.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"theta": np.array([1.0, np.nan])}, finite=True)
    {'theta': [1.0, None]}
    """
    kind = type(value)  # nearly everything is of one of these kinds, and a run has a hundred thousand of them
    if kind is float:
        return None if finite and not math.isfinite(value) else value
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(entry, finite=finite) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry, finite=finite) for entry in value]
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return None if finite and not math.isfinite(value) else float(value)
    if isinstance(value, msgspec.Struct):
        return plain(msgspec.to_builtins(value, enc_hook=_as_python), finite=finite)
    return plain(_as_python(value), finite=finite)


def _as_python(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"A {type(value).__name__} cannot be written as JSON.")

"""Find a file by its name in a zip, or in a zip inside that zip, without unpacking the rest."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO


class NotInArchive(Exception):
    """The archive is none, is damaged, or lacks the file; the text says which."""


@contextmanager
def open_member(archive: Path, name: str) -> Iterator[IO[bytes]]:
    """Open the member called `name`, in whatever folder of the archive it lies, as a stream."""
    try:
        with zipfile.ZipFile(archive) as outer:
            if member := _member(outer, name):
                with outer.open(member) as stream:
                    yield stream
                return
            for inner_name in (entry for entry in outer.namelist() if entry.lower().endswith(".zip")):
                with zipfile.ZipFile(io.BytesIO(outer.read(inner_name))) as inner:
                    if member := _member(inner, name):
                        with inner.open(member) as stream:
                            yield stream
                        return
    except (zipfile.BadZipFile, EOFError) as problem:
        raise NotInArchive(_describe_non_zip(archive)) from problem
    raise NotInArchive(f"{archive.name} holds no file called {name}")


def extract(archive: Path, name: str, target: Path) -> None:
    """Copy the member called `name` to `target`."""
    with open_member(archive, name) as stream, target.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)


def _member(archive: zipfile.ZipFile, name: str) -> str | None:
    # Compared by base name: publishers move files between folders, and names are never used as paths.
    return next((entry for entry in archive.namelist() if PurePosixPath(entry).name == name), None)


def _describe_non_zip(archive: Path) -> str:
    with archive.open("rb") as file:
        beginning = file.read(200).lstrip()
    if beginning[:1] == b"<":
        return "a web page came instead of a zip file"
    return "what came is not a whole zip file"

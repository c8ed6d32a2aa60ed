"""Uploaded tables and models: kept in folders named by the digest of their content."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.compute as pc

from diffoci.data.fetching.whole_files import whole_or_absent
from diffoci.data.tables._csv_files import read_table
from diffoci.data.tables._limits import refuse_large
from diffoci.data.tables.columns import as_levels, normalise
from diffoci.data.tables.roles import MAX_CLASSES


def keep_table(content: bytes, name: str, *, folder: Path) -> Path:
    """Keep a file if it can be read as a table, under its own name; a sentence says why where not."""
    return keep_file(content, name, folder=folder, read=read_table)


def keep_file(content: bytes, name: str, *, folder: Path, read: Callable[[bytes], object]) -> Path:
    """Keep a file that `read` accepts; what it raises is why not."""
    refuse_large(len(content))
    path = folder / hashlib.sha256(content).hexdigest() / safe_name(name)
    if path.exists():
        os.utime(path)  # brought again: its age is counted from now on
    else:
        read(content)  # before it is kept: what cannot be read is not
        with whole_or_absent(path) as ready:
            ready.write_bytes(content)
    return path


def classes_of(path: str, column: str) -> tuple[str, ...]:
    """Return the values of a column, or none where they are too many to choose from."""
    values = normalise(read_table(path).table[column])
    if pc.count_distinct(values).as_py() > MAX_CLASSES:
        return ()
    return tuple(str(level) for level in as_levels(values).cat.categories)


def safe_name(name: str) -> str:
    """Return a file's name as it can be kept and shown: no folders, nothing invisible, not too long.

    Examples
    --------
    >>> safe_name("../../etc/pass\\nwd.csv"), safe_name("..")
    ('pass wd.csv', 'uploaded file')
    """
    last = name.replace("\\", "/").split("/")[-1]
    return re.sub(r"[^\w .,()=+@#&<>-]+", " ", last).strip(" .")[-80:] or "uploaded file"

"""Uploaded tables: kept under the digest of their content, whatever their names say."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

import pyarrow.compute as pc
import streamlit as st

from diffoci.data.table_columns import as_levels, normalise
from diffoci.data.table_reading import MAX_BYTES, read_table
from diffoci.runs.files import write_atomically
from diffoci.runs.store import runs_root

MOST_CLASSES = 20


@dataclass(frozen=True)
class Upload:
    """An uploaded file: where it is kept, what it was called, and its columns."""

    path: Path
    name: str
    columns: tuple[str, ...]


def keep_upload(content: bytes, name: str) -> Upload:
    """Keep a file if it can be read as a table; a sentence says why where not."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"The file has {len(content) / 1e9:.1f} GB; at most {MAX_BYTES / 1e9:.1f} GB can be read.")
    columns = tuple(read_table(content).table.column_names)
    folder = runs_root() / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(content).hexdigest()}.table"
    if not path.exists():
        write_atomically(path, content)
    return Upload(path, shown_name(name), columns)


def kept_upload(path: str, name: str) -> Upload:
    """Return a file kept before."""
    return Upload(Path(path), name, columns_of(path))


@st.cache_data(max_entries=20, show_spinner=False)
def columns_of(path: str) -> tuple[str, ...]:
    """Return the columns of a kept file; its path is the digest of its content."""
    return tuple(read_table(path).table.column_names)


@st.cache_data(max_entries=50, show_spinner=False)
def classes_of(path: str, column: str) -> tuple[str, ...]:
    """Return the values of a column, or none where they are too many to choose from."""
    values = normalise(read_table(path).table[column])
    if pc.count_distinct(values).as_py() > MOST_CLASSES:
        return ()
    return tuple(str(level) for level in as_levels(values).cat.categories)


def shown_name(name: str) -> str:
    """Return a file's name as it can be shown: no folders, nothing invisible, not too long.

    Examples
    --------
    >>> shown_name("../../etc/pass\\nwd.csv")
    'pass wd.csv'
    """
    last = PurePath(name.replace("\\", "/")).name
    return re.sub(r"[^\w .,()=+@#&<>-]+", " ", last).strip()[:80] or "uploaded file"

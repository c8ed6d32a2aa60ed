"""Uploaded tables: kept in folders named by the digest of their content."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc
import streamlit as st

from diffoci.data.table_columns import as_levels, normalise
from diffoci.data.table_limits import MAX_BYTES
from diffoci.data.table_reading import read_table
from diffoci.runs.files import write_atomically
from diffoci.runs.store import runs_root

MOST_CLASSES = 20


@dataclass(frozen=True)
class Upload:
    """An uploaded file: where it is kept, under its own name, and its columns."""

    path: Path
    columns: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Of its content."""
        return self.path.parent.name


def keep_upload(content: bytes, name: str) -> Upload:
    """Keep a file if it can be read as a table; a sentence says why where not."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"The file has {len(content) / 1e9:.1f} GB; at most {MAX_BYTES / 1e9:.1f} GB can be read.")
    path = runs_root() / "uploads" / hashlib.sha256(content).hexdigest() / safe_name(name)
    if not path.exists():
        read_table(content)  # before it is kept: what cannot be read is not
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    return kept_upload(str(path))


def kept_upload(path: str) -> Upload:
    """Return a file kept before."""
    return Upload(Path(path), columns_of(path))


@st.cache_data(max_entries=20, show_spinner=False)
def columns_of(path: str) -> tuple[str, ...]:
    """Return the columns of a kept file; its path holds the digest of its content."""
    return tuple(read_table(path).table.column_names)


@st.cache_data(max_entries=50, show_spinner=False)
def classes_of(path: str, column: str) -> tuple[str, ...]:
    """Return the values of a column, or none where they are too many to choose from."""
    values = normalise(read_table(path).table[column])
    if pc.count_distinct(values).as_py() > MOST_CLASSES:
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

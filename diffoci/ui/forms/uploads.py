"""Uploaded tables and models on a page: each kept and read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from diffoci.data.tables import uploads
from diffoci.data.tables.overview import Overview, look_over
from diffoci.model_audit.onnx_model import keep_onnx
from diffoci.runs.uploads import uploads_folder
from diffoci.ui.access import note
from diffoci.ui.signin import owner

_BROUGHT = "files-brought"


@dataclass(frozen=True)
class Upload:
    """An uploaded file: where it is kept, under its own name, and what a first look at it shows."""

    path: Path
    overview: Overview

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names, in the order of the file."""
        return self.overview.columns

    @property
    def digest(self) -> str:
        """Of its content."""
        return self.path.parent.name


def keep_brought(file: UploadedFile) -> Upload:
    """Keep a file that the page holds, once: what was deleted since stays so until somebody brings it again."""
    brought: dict[str, str] = st.session_state.setdefault(_BROUGHT, {})
    if file.file_id not in brought:
        brought[file.file_id] = str(keep_upload(file.getvalue(), file.name).path)
    return kept_upload(brought[file.file_id])


def keep_model(file: UploadedFile) -> Path:
    """Keep a model's file that the page holds, once, if it is ONNX; a sentence says why where not."""
    brought: dict[str, str] = st.session_state.setdefault(_BROUGHT, {})
    if file.file_id not in brought:
        brought[file.file_id] = str(_kept(file.getvalue(), file.name, keep_onnx))
    path = Path(brought[file.file_id])
    _check_there(path)
    return path


def keep_upload(content: bytes, name: str) -> Upload:
    """Keep a file if it can be read as a table; a sentence says why where not."""
    return kept_upload(str(_kept(content, name, uploads.keep_table)))


def _kept(content: bytes, name: str, keep: Callable[..., Path]) -> Path:
    try:
        return keep(content, name, folder=uploads_folder(owner()))
    except ValueError:
        note("refused", what="upload", why="not readable")
        raise


def kept_upload(path: str) -> Upload:
    """Return a file kept before, or say that it is not there any more."""
    _check_there(Path(path))
    return Upload(Path(path), _overview(path))


def _check_there(path: Path) -> None:
    if not path.is_file():
        raise ValueError(f"The file {path.name} was deleted from this server; upload it again to use it.")


# The path of a kept file holds the digest of its content, so nothing here can be out of date.
@st.cache_data(max_entries=20, show_spinner="Reading the file …")
def _overview(path: str) -> Overview:
    return look_over(path)


@st.cache_data(max_entries=50, show_spinner=False)
def classes_of(path: str, column: str) -> tuple[str, ...]:
    """Return the values of a column, or none where they are too many to choose from."""
    return uploads.classes_of(path, column)

"""Scores of a model in an ONNX file; a pickle is never opened."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data.tables.columns import normalise
from diffoci.data.tables.uploads import keep_file
from diffoci.inputs import Floats
from diffoci.model_audit.onnx_process import Input, inputs_in, scores_from

_PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth", ".sav")
WHY_NO_PICKLE = (
    "opening one runs whatever its author put in it, so none is ever loaded here. Export the model to ONNX where it "
    "was made (skl2onnx, torch.onnx.export), or give its scores as a column."
)
# How a tensor says that its numbers lie in another file: the key "location" and the text that follows.
_ELSEWHERE = b"\n\x08location\x12"


def score_table(path: Path, table: pa.Table) -> tuple[str, Floats]:
    """Run the model on the columns that its inputs name; return what the score is called and everybody's.

    Parameters
    ----------
    path : Path
        An ONNX file. Its inputs are one for each column, by name, or a single matrix of all columns that are numbers,
        in the order of the table.
    table : pyarrow.Table
        One row per person.
    """
    if not path.is_file():
        raise ValueError(f"There is no file {path}; check its name and folder.")
    content = path.read_bytes()
    inputs = _checked(content, path.name)
    feed = _matrix(inputs[0], table, path) if _takes_matrix(inputs, table) else _by_name(inputs, table, path)
    return path.stem, scores_from(content, path.name, feed)


def keep_onnx(content: bytes, name: str, *, folder: Path) -> Path:
    """Keep an uploaded file if it can be opened as an ONNX model, under its own name; a sentence says why where not."""
    return keep_file(content, name, folder=folder, read=lambda whole: _checked(whole, name))


def inputs_of(path: Path) -> tuple[str, ...]:
    """What the inputs of a model are called."""
    about = path.stat()
    return _inputs_of(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=64)  # a page asks each time that it is drawn
def _inputs_of(path: Path, changed: int, size: int) -> tuple[str, ...]:
    return tuple(one.name for one in _checked(path.read_bytes(), path.name))


def _checked(content: bytes, name: str) -> tuple[Input, ...]:
    """The inputs of a model; what is none is refused in a sentence, and a pickle is not even opened."""
    pickled = content[:1] == b"\x80" and content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if Path(name).suffix.lower() in _PICKLES or pickled or content[:2] == b"PK":  # torch zips its pickles
        raise ValueError(f"{name} is a pickle: {WHY_NO_PICKLE}")
    if _ELSEWHERE in content:
        raise ValueError(f"{name} keeps part of its numbers in another file; export it again as one file.")
    return inputs_in(content, name)


def _takes_matrix(inputs: Sequence[Input], table: pa.Table) -> bool:
    return len(inputs) == 1 and inputs[0].name not in table.column_names


def _matrix(one: Input, table: pa.Table, path: Path) -> dict[str, Any]:
    columns = {name: normalise(table[name]) for name in table.column_names}
    numbers = [name for name, column in columns.items() if pa.types.is_float64(column.type)]
    if not numbers:
        raise ValueError(f"{path.name} takes numbers, and no column that the model looked at holds any.")
    width = one.shape[-1] if len(one.shape) == 2 else None
    if isinstance(width, int) and width != len(numbers):
        raise ValueError(
            f"{path.name} takes {width} columns and the features have {len(numbers)} that are numbers "
            f"({', '.join(numbers)}); choose just those that it takes as columns the model looked at, in its "
            "order."
        )
    values = np.column_stack([_filled(columns[name], name) for name in numbers])
    return {one.name: values.astype(_dtype(one, path))}


def _by_name(inputs: Sequence[Input], table: pa.Table, path: Path) -> dict[str, Any]:
    if not inputs:
        raise ValueError(f"{path.name} has no inputs, so it says the same of everybody; export the model that scores.")
    feed = {}
    for one in inputs:
        if one.name not in table.column_names:
            names = ", ".join(table.column_names)
            raise ValueError(f"{path.name} wants an input '{one.name}', which is not a column; columns are {names}.")
        column = normalise(table[one.name])
        if one.type == "tensor(string)":
            _check_whole(column, one.name)
            values = np.array([str(value) for value in column.to_pylist()], dtype=np.str_)
        elif pa.types.is_float64(column.type):
            values = _filled(column, one.name).astype(_dtype(one, path))
        else:
            raise ValueError(f"{path.name} wants numbers for '{one.name}', and the column holds text.")
        feed[one.name] = values[:, None] if len(one.shape) == 2 else values
    return feed


def _filled(column: pa.ChunkedArray, name: str) -> Floats:
    _check_whole(column, name)
    values: Floats = pc.cast(column, pa.float64()).to_numpy()
    return values


def _check_whole(column: pa.ChunkedArray, name: str) -> None:
    if column.null_count:
        raise ValueError(f"Column '{name}' has {column.null_count:,} missing values, which the model cannot be given.")


def _dtype(one: Input, path: Path) -> type[np.generic]:
    kinds: dict[str, type[np.generic]] = {
        "tensor(float)": np.float32,
        "tensor(double)": np.float64,
        "tensor(int64)": np.int64,
        "tensor(int32)": np.int32,
    }
    if one.type not in kinds:
        raise ValueError(f"{path.name} wants '{one.name}' as {one.type}, which no column can be.")
    return kinds[one.type]

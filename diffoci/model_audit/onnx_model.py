"""Scores of a model in an ONNX file; a pickle is never opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data.tables.columns import normalise
from diffoci.inputs import Floats

_AT_ONCE = 100_000
_PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth", ".sav")
_REFUSAL = (
    "{name} is a pickle, which runs whatever its author put in it as soon as it is opened, so it is never loaded here. "
    "Export the model to ONNX where it was made (skl2onnx, torch.onnx.export), or give its scores as a column."
)


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
    session = _opened(path)
    inputs = session.get_inputs()
    feed = _matrix(inputs[0], table, path) if _takes_matrix(inputs, table) else _by_name(inputs, table, path)
    wanted = [one.name for one in session.get_outputs()]
    parts = []
    for begin in range(0, table.num_rows, _AT_ONCE):
        rows = slice(begin, begin + _AT_ONCE)
        try:
            parts.append(_scores(session.run(wanted, {name: values[rows] for name, values in feed.items()})))
        except Exception as problem:  # whatever the runtime raises about a stranger's model
            reason = str(problem).splitlines()[0][:200]
            raise ValueError(f"{path.name} could not score the rows: {reason}") from None
    return path.stem, np.concatenate(parts)


def _opened(path: Path) -> Any:
    if not path.is_file():
        raise ValueError(f"There is no file {path}; check its name and folder.")
    with path.open("rb") as file:
        head = file.read(2)
    zipped = head == b"PK"
    if path.suffix.lower() in _PICKLES or (head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05") or zipped:
        raise ValueError(_REFUSAL.format(name=path.name))
    try:
        import onnxruntime
    except ImportError:
        raise ValueError("ONNX files need the package onnxruntime: pip install 'diffoci[onnx]'.") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
    except Exception:  # whatever the runtime raises about a file that is none
        raise ValueError(f"{path.name} cannot be read as an ONNX model; export it again.") from None


def _takes_matrix(inputs: list[Any], table: pa.Table) -> bool:
    return len(inputs) == 1 and inputs[0].name not in table.column_names


def _matrix(one: Any, table: pa.Table, path: Path) -> dict[str, Any]:
    columns = {name: normalise(table[name]) for name in table.column_names}
    numbers = [name for name, column in columns.items() if pa.types.is_float64(column.type)]
    width = one.shape[-1] if len(one.shape) == 2 else None
    if isinstance(width, int) and width != len(numbers):
        raise ValueError(
            f"{path.name} takes {width} columns and the features have {len(numbers)} that are numbers "
            f"({', '.join(numbers)}); name just those that it takes with --features, in its order."
        )
    values = np.column_stack([_filled(columns[name], name) for name in numbers])
    return {one.name: values.astype(_dtype(one, path))}


def _by_name(inputs: list[Any], table: pa.Table, path: Path) -> dict[str, Any]:
    feed = {}
    for one in inputs:
        if one.name not in table.column_names:
            names = ", ".join(table.column_names)
            raise ValueError(f"{path.name} wants an input '{one.name}', which is not a column; columns are {names}.")
        column = normalise(table[one.name])
        if one.type == "tensor(string)":
            values = np.array([str(value) for value in column.to_pylist()], dtype=object)
        elif pa.types.is_float64(column.type):
            values = _filled(column, one.name).astype(_dtype(one, path))
        else:
            raise ValueError(f"{path.name} wants numbers for '{one.name}', and the column holds text.")
        feed[one.name] = values[:, None] if len(one.shape) == 2 else values
    return feed


def _filled(column: pa.ChunkedArray, name: str) -> Floats:
    if column.null_count:
        raise ValueError(f"Column '{name}' has {column.null_count:,} missing values, which the model cannot be given.")
    values: Floats = pc.cast(column, pa.float64()).to_numpy()
    return values


def _dtype(one: Any, path: Path) -> type[np.generic]:
    kinds: dict[str, type[np.generic]] = {
        "tensor(float)": np.float32,
        "tensor(double)": np.float64,
        "tensor(int64)": np.int64,
        "tensor(int32)": np.int32,
    }
    if one.type not in kinds:
        raise ValueError(f"{path.name} wants '{one.name}' as {one.type}, which no column can be.")
    return kinds[one.type]


def _scores(outputs: list[Any]) -> Floats:
    """The last output, which for classifiers holds probabilities; of two columns the second."""
    last = outputs[-1]
    if isinstance(last, list):  # one mapping from class to probability for each person
        keys = sorted(last[0])
        return np.array([row[keys[-1]] for row in last], dtype=np.float64)
    values = np.asarray(last, dtype=np.float64)
    if values.ndim == 2 and values.shape[1] in (1, 2):
        return np.ascontiguousarray(values[:, -1])
    if values.ndim == 1:
        return values
    raise ValueError("its last output is neither a score nor the probabilities of two classes")

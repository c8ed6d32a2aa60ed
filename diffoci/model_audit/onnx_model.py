"""Scores of a model in an ONNX file; a pickle is never opened."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data.tables.columns import normalise
from diffoci.data.tables.uploads import keep_file
from diffoci.inputs import Floats

_AT_ONCE = 100_000
_SECONDS = 120  # that a model may take for all rows: a stranger's may never end
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
    session = open_model(path.read_bytes(), path.name)
    inputs = session.get_inputs()
    feed = _matrix(inputs[0], table, path) if _takes_matrix(inputs, table) else _by_name(inputs, table, path)
    return path.stem, _run(session, feed, table.num_rows, path)


def keep_onnx(content: bytes, name: str, *, folder: Path) -> Path:
    """Keep an uploaded file if it can be opened as an ONNX model, under its own name; a sentence says why where not."""
    return keep_file(content, name, folder=folder, read=lambda whole: open_model(whole, name))


def inputs_of(path: Path) -> tuple[str, ...]:
    """What the inputs of a model are called."""
    return tuple(one.name for one in open_model(path.read_bytes(), path.name).get_inputs())


def _run(session: Any, feed: dict[str, Any], rows: int, path: Path) -> Floats:
    import onnxruntime

    wanted = [one.name for one in session.get_outputs()]
    options = onnxruntime.RunOptions()
    options.log_severity_level = 4
    watch = threading.Timer(_SECONDS, setattr, (options, "terminate", True))
    watch.daemon = True
    watch.start()
    parts = []
    try:
        for begin in range(0, rows, _AT_ONCE):
            some = {name: values[begin : begin + _AT_ONCE] for name, values in feed.items()}
            parts.append(_scores(session.run(wanted, some, options)))
    except Exception as problem:  # whatever the runtime raises about a stranger's model
        reason = str(problem).splitlines()[0][:200]
        if options.terminate:
            reason = f"it took more than {_SECONDS} seconds"
        raise ValueError(f"{path.name} could not score the rows: {reason}") from None
    finally:
        watch.cancel()
    return np.concatenate(parts)


def open_model(content: bytes, name: str) -> Any:
    """Open the content of an ONNX file; what is none is refused in a sentence, and a pickle is not even opened."""
    pickled = content[:1] == b"\x80" and content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if Path(name).suffix.lower() in _PICKLES or pickled or content[:2] == b"PK":  # torch zips its pickles
        raise ValueError(f"{name} is a pickle: {WHY_NO_PICKLE}")
    if _ELSEWHERE in content:
        raise ValueError(f"{name} keeps part of its numbers in another file; export it again as one file.")
    try:
        import onnxruntime
    except ImportError:
        raise ValueError("ONNX files need the package onnxruntime: pip install 'diffoci[onnx]'.") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # A graph is not computed in part before it is asked: what it unfolds to may be as large as its author likes.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception:  # whatever the runtime raises about a file that is none
        raise ValueError(f"{name} cannot be read as an ONNX model; export it again.") from None


def _takes_matrix(inputs: list[Any], table: pa.Table) -> bool:
    return len(inputs) == 1 and inputs[0].name not in table.column_names


def _matrix(one: Any, table: pa.Table, path: Path) -> dict[str, Any]:
    columns = {name: normalise(table[name]) for name in table.column_names}
    numbers = [name for name, column in columns.items() if pa.types.is_float64(column.type)]
    width = one.shape[-1] if len(one.shape) == 2 else None
    if isinstance(width, int) and width != len(numbers):
        raise ValueError(
            f"{path.name} takes {width} columns and the features have {len(numbers)} that are numbers "
            f"({', '.join(numbers)}); choose just those that it takes as columns the model looked at, in its "
            "order."
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

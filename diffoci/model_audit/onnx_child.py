"""Run a stranger's ONNX model in a process of its own, which may take so much memory and no more.

``python -m diffoci.model_audit.onnx_child FOLDER BYTES`` reads `model.onnx` and, where it is there, `feed.npz` from the
folder, and writes `answer.json` with the inputs that the model has, or `scores.npy`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from diffoci.inputs import Floats

_AT_ONCE = 100_000  # rows


def main(folder: Path, memory: int) -> None:
    """Answer what is asked, or say what went wrong."""
    _bound(memory)
    try:
        answer = _answer(folder)
    except MemoryError:
        answer = {"wrong": "memory"}
    except ImportError:
        answer = {"wrong": "package"}
    except Exception as problem:  # whatever the runtime raises about a stranger's model
        said = str(problem) or type(problem).__name__
        short = "bad_alloc" in said or "allocate" in said.lower()
        answer = {"wrong": "memory"} if short else {"wrong": "rows", "reason": said.splitlines()[0][:200]}
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")


def _bound(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows; there time alone is bounded
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(folder: Path) -> dict[str, Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # A graph is not computed in part before it is asked: what it unfolds to may be as large as its author likes.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    content = (folder / "model.onnx").read_bytes()
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception:  # whatever the runtime raises about a file that is none
        return {"wrong": "file"}
    if not (folder / "feed.npz").is_file():
        return {"inputs": [[one.name, one.type, [str(side) for side in one.shape]] for one in session.get_inputs()]}
    with np.load(folder / "feed.npz", allow_pickle=False) as stored:
        feed = {name: stored[str(k)] for k, name in enumerate(stored["names"].tolist())}
    feed = {name: values.astype(object) if values.dtype.kind == "U" else values for name, values in feed.items()}
    np.save(folder / "scores.npy", _scored(session, feed), allow_pickle=False)
    return {}


def _scored(session: Any, feed: dict[str, Any]) -> Floats:
    wanted, rows, parts = [one.name for one in session.get_outputs()], len(next(iter(feed.values()))), []
    for begin in range(0, rows, _AT_ONCE):
        some = {name: values[begin : begin + _AT_ONCE] for name, values in feed.items()}
        part = _scores(session.run(wanted, some))
        if len(part) != min(_AT_ONCE, rows - begin):
            raise ValueError(f"it gives {len(part):,} scores for {min(_AT_ONCE, rows - begin):,} rows")
        parts.append(part)
    return np.concatenate(parts)


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


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

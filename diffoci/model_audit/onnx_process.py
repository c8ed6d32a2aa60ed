"""Ask a stranger's model something in a process of its own: so much time, so much memory, and a sentence where not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from diffoci.inputs import Floats

_SECONDS = 120.0  # that a model may take for all rows: a stranger's may never end
_GIGABYTES = 4  # of memory beside what the rows themselves take
_BYTES = 2**30


@dataclass(frozen=True)
class Input:
    """One input: its name, what the runtime calls its kind, and its sides, None where a side is free."""

    name: str
    type: str
    shape: tuple[int | None, ...]


def inputs_in(content: bytes, name: str) -> tuple[Input, ...]:
    """What the inputs of a model are."""
    with tempfile.TemporaryDirectory(prefix="diffoci-onnx-") as folder:
        found = _asked(content, name, Path(folder), 0)
    return tuple(
        Input(called, kind, tuple(int(side) if side.isdigit() else None for side in shape))
        for called, kind, shape in found["inputs"]
    )


def scores_from(content: bytes, name: str, feed: Mapping[str, np.ndarray]) -> Floats:
    """Everybody's score."""
    with tempfile.TemporaryDirectory(prefix="diffoci-onnx-") as folder:
        arrays = {str(k): values for k, values in enumerate(feed.values())}
        np.savez(Path(folder) / "feed.npz", names=np.array(list(feed), dtype=np.str_), **arrays)  # type: ignore[arg-type]
        _asked(content, name, Path(folder), sum(values.nbytes for values in feed.values()))
        scores: Floats = np.load(Path(folder) / "scores.npy", allow_pickle=False)
        return scores


def _asked(content: bytes, name: str, folder: Path, fed: int) -> dict[str, Any]:
    (folder / "model.onnx").write_bytes(content)
    memory = _GIGABYTES * _BYTES + 4 * (fed + len(content))
    command = [sys.executable, "-m", "diffoci.model_audit.onnx_child", str(folder), str(memory)]
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))
    try:
        subprocess.run(
            command,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"{name} could not score the rows: it took more than {_SECONDS:g} seconds.") from None
    answer = folder / "answer.json"
    found: dict[str, Any] = json.loads(answer.read_bytes()) if answer.is_file() else {"wrong": "crash"}
    if "wrong" in found:
        raise ValueError(_sentence(name, found))
    return found


def _sentence(name: str, found: Mapping[str, str]) -> str:
    return {
        "package": "ONNX files need the package onnxruntime: pip install 'diffoci[onnx]'.",
        "file": f"{name} cannot be read as an ONNX model; export it again.",
        "memory": f"{name} could not score the rows: it wants more than {_GIGABYTES} GB of memory beside them.",
        "crash": f"{name} could not score the rows: it brought the ONNX runtime down; export it again.",
        "rows": f"{name} could not score the rows: {found.get('reason', '')}",
    }[found["wrong"]]

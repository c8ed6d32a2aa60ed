"""The network of an exported representation as an ONNX file, kept only if it computes what torch computes."""

from __future__ import annotations

import importlib.util
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch

from diffoci.audit.taking_away.exported import ExportedRepresentation
from diffoci.runs.files import write_atomically

TOLERANCE = 1e-5
_ROWS = 64


def write_onnx(representation: ExportedRepresentation, path: Path) -> str:
    """Write the file and return a sentence: how closely it agrees with torch, or why there is none."""
    if importlib.util.find_spec("onnx") is None:
        return "No ONNX file was written: the package onnx is not installed (pip install 'diffoci[onnx]')."
    columns = len(representation.encoder_.names_)
    rows = np.random.default_rng(0).normal(size=(_ROWS, columns)).astype(np.float32)
    try:
        content = _exported(representation.module_, rows[:2])
        apart = _furthest(content, representation.module_, rows)
    except Exception as problem:  # whatever torch or onnx raise: the folder is complete without the file
        return f"No ONNX file was written: torch cannot write this one ({type(problem).__name__})."
    if not apart <= TOLERANCE:
        return f"No ONNX file was written: it would differ from torch by {apart:.1e}, more than {TOLERANCE:.0e}."
    write_atomically(path, content)
    return f"{path.name} takes the encoded rows and agrees with torch to {apart:.1e}."


def _exported(module: torch.nn.Module, rows: np.ndarray) -> bytes:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # The older of torch's two exporters: the newer one needs two more packages and takes a hundred times as long.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            (torch.from_numpy(rows),),
            path := Path(folder) / "model.onnx",
            dynamo=False,
            input_names=["rows"],
            output_names=["representation"],
            dynamic_axes={"rows": {0: "n"}, "representation": {0: "n"}},
        )
        return path.read_bytes()


def _furthest(content: bytes, module: torch.nn.Module, rows: np.ndarray) -> float:
    """The largest difference between the file, run by onnx itself, and torch."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    loaded = onnx.load_model_from_string(content)
    onnx.checker.check_model(loaded)
    (found,) = ReferenceEvaluator(loaded).run(None, {"rows": rows})
    with torch.no_grad():
        expected = module(torch.from_numpy(rows)).numpy()
    return float(np.abs(found - expected).max())

"""Take a representation away from a finished audit: its fitted preprocessing and network as a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import asdict
from safetensors.numpy import save as pack_weights

from diffoci.audit.certificates.certificate import certify
from diffoci.audit.methods import METHODS
from diffoci.audit.result import AuditResult, MethodResult
from diffoci.audit.taking_away._onnx_file import write_onnx
from diffoci.audit.taking_away.exported import (
    MODEL,
    PREPROCESSING,
    SCHEMA,
    WEIGHTS,
    ExportedRepresentation,
    load_representation,
)
from diffoci.data.encoding import Encoder
from diffoci.runs.cell_files import KeptCell, Origin, load_cell
from diffoci.runs.files import plain, write_atomically
from diffoci.runs.store import Run

EXAMPLE = '''"""python example.py ROWS.csv LABEL: the rows need the columns that preprocessing.json names, and LABEL."""
import sys

import pandas as pd
from diffoci import load_representation
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

rows, label = pd.read_csv(sys.argv[1]), sys.argv[2]
representation = load_representation(sys.path[0]).set_output(transform="pandas")  # the folder of this file
model = make_pipeline(representation, LogisticRegression(max_iter=1000)).fit(rows, rows[label])
print(model[0].transform(rows).head(), f"{label} predicted right: {model.score(rows, rows[label]):.1%}", sep="\\n")
'''

NO_ONNX_OF_CELLS = "No ONNX file was written: it would give the representation that the cells are cut from."

# The id of an audit opens it on its server; a folder that is handed on gets enough of it to name the audit.
_ID_DIGITS = 8


@dataclass(frozen=True)
class Export:
    """A folder written; `onnx` says in a sentence what became of the ONNX file."""

    folder: Path
    representation: ExportedRepresentation
    onnx: str


def export(run: Run, method: str, folder: Path, *, seed: int | None = None, cells: bool = False) -> Export:
    """Write the representation one method learnt with one seed, by default the first that finished.

    With `cells` what is taken away are its cells, with the certificate of these very cells, and nothing finer.

    Raises
    ------
    ValueError
        With a sentence, where the audit has no such method or seed, or the method cannot be taken away.
    """
    result = run.result()
    entry, seed = _entry(result, method, seed)
    if entry.needs_sensitive_at_prediction:
        raise ValueError(f"{method} needs the sensitive attribute of every new row, so it cannot be taken away alone.")
    cell = _cell(run, result, method, seed)
    kept = cell.output.summary.get("kept")
    if "kept" not in cell.output.summary:
        raise ValueError("This audit was made before representations could be taken away; run it again.")
    if kept is None:
        others = [
            one["name"] for one in result["methods"] if one["name"] in METHODS and METHODS[one["name"]].exportable
        ]
        have = f"these have: {', '.join(others)}" if others else "no other method of this audit has one"
        raise ValueError(f"{method} is a library's own model and has no export; {have}.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not an empty folder; choose another with --out.")
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        PREPROCESSING: _json(kept["encoding"]),
        WEIGHTS: pack_weights(cell.output.weights),
    }
    model = {
        "schema": SCHEMA,
        "method": method,
        "title": entry.title,
        "seed": seed,
        "map": kept["map"],
        "columns": _columns(method, kept, int(cell.output.summary["width"])),
        "chosen": cell.output.summary["chosen"],
        "settings": result.spec.settings,
        "label": asdict(result.label),
        "sensitive": list(result.attributes),
        "provenance": _provenance(run, result, cell),
        **({"cells": _cells(result, cell, seed)} if cells else {}),
        "files": {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()},
    }
    for name, part in {**parts, MODEL: _json(model), "example.py": EXAMPLE.encode()}.items():
        write_atomically(folder / name, part)
    representation = load_representation(folder)
    onnx = NO_ONNX_OF_CELLS if cells else write_onnx(representation, folder / "model.onnx")
    return Export(folder, representation, onnx)


def _cells(result: AuditResult, cell: KeptCell, seed: int) -> dict[str, Any]:
    """How the representation is cut, what each cell's rows are on average, and what nobody can exceed."""
    counted = cell.output.summary.get("certificate")
    if counted is None:
        raise ValueError("This audit was made before representations were cut into cells; run it again.")
    held = certify(counted, confidence=result.spec.settings["confidence"], seed=seed)
    return {"cut": counted["cut"], "means": counted["means"], "certificate": to_builtins(held)}


def _entry(result: AuditResult, method: str, seed: int | None) -> tuple[MethodResult, int]:
    names = [one.name for one in result.methods]
    if method not in names:
        raise ValueError(f"The audit has no method '{method}'; it has {', '.join(names)}.")
    entry = result.method(method)
    seeds = entry.seeds
    if seed is not None and seed not in seeds:
        raise ValueError(f"{method} was not trained with seed {seed}; seeds are {', '.join(map(str, seeds))}.")
    return entry, seeds[0] if seed is None else seed


def _cell(run: Run, result: AuditResult, method: str, seed: int) -> KeptCell:
    origin = Origin(run.spec.digest(), result.provenance.sha256)
    cell = load_cell(run.cells, origin, f"{method}.{seed}", any_versions=True)
    if cell is None:
        raise ValueError(f"What {method} learnt with seed {seed} is damaged or gone; resume the audit to compute it.")
    return cell


def _columns(method: str, kept: Mapping[str, Any], width: int) -> list[str]:
    """Names of the representation's columns: the coded features where they are kept as such, else numbered."""
    names = Encoder.from_dict(kept["encoding"]).names_
    if kept["map"]["kind"] in ("unchanged", "eraser"):
        return list(names)
    return [f"{method} {k}" for k in range(width)]


def _provenance(run: Run, result: AuditResult, cell: KeptCell) -> dict[str, Any]:
    known = asdict(result.provenance)
    names = ("title", "source", "licence", "citation", "sha256", "rows", "real", "versions")
    return {"audit": run.id[:_ID_DIGITS], **{name: known.get(name) for name in names}, "device": cell.device}


def _json(values: Mapping[str, Any]) -> bytes:
    return json.dumps(plain(values), ensure_ascii=False, indent=1).encode() + b"\n"

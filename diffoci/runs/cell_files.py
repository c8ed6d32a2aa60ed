"""Cells on disk: JSON for what was found, npz for arrays, safetensors for weights; nothing is ever unpickled."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as parse_weights
from safetensors.numpy import save as pack_weights

from diffoci.runs.files import read_bytes, write_atomically, write_json
from diffoci.runs.provenance import versions
from diffoci.runs.run_files import CellFile, FailedFile, read_file
from diffoci.runs.study import CellOutput

Part = Literal["npz", "safetensors"]
_SAFE = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9._+-]{0,99}")


@dataclass(frozen=True)
class Origin:
    """What a kept cell must have been made from to be kept: this specification on this data."""

    digest: str
    sha256: str


@dataclass(frozen=True)
class Outcome:
    """What a cell's process hands back: its output, or why there is none."""

    cell: str
    output: CellOutput | None = None
    error: str = ""
    trace: str = ""
    cancelled: bool = False
    seconds: float = 0.0
    device: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class KeptCell:
    """A finished cell read back."""

    output: CellOutput
    seconds: float
    device: str


def file_stem(cell: str) -> str:
    """Return a file name for a cell that is safe whatever the cell is called.

    Examples
    --------
    >>> file_stem("methods-dF3-0")
    'methods-dF3-0'
    >>> file_stem("../x")
    '___x-d6b96a97'
    """
    if _SAFE.fullmatch(cell):
        return cell
    readable = re.sub(r"[^A-Za-z0-9_+-]", "_", cell)[:60]
    return f"{readable}-{hashlib.sha256(cell.encode()).hexdigest()[:8]}"


def history_file(folder: Path, cell: str) -> Path:
    """Return where a cell's history lies."""
    return folder / f"{file_stem(cell)}.history.jsonl"


def save_cell(folder: Path, origin: Origin, outcome: Outcome) -> None:
    """Write a cell. The JSON comes last and names the digests of the others: it alone makes the cell finished."""
    assert outcome.output is not None
    stem = file_stem(outcome.cell)
    packed: dict[Part, bytes | None] = {
        "npz": _pack_arrays(outcome.output.arrays) if outcome.output.arrays else None,
        "safetensors": pack_weights(outcome.output.weights) if outcome.output.weights else None,
    }
    for suffix, part in packed.items():
        if part is not None:
            write_atomically(folder / f"{stem}.{suffix}", part)
    content = CellFile(
        cell=outcome.cell,
        digest=origin.digest,
        data=origin.sha256,
        versions=outcome.versions,
        seconds=round(outcome.seconds, 3),
        device=outcome.device,
        files={suffix: hashlib.sha256(part).hexdigest() for suffix, part in packed.items() if part is not None},
        summary=outcome.output.summary,
    )
    write_json(folder / f"{stem}.json", content, finite=False)
    (folder / f"{stem}.failed.json").unlink(missing_ok=True)


def load_cell(folder: Path, origin: Origin, cell: str, *, any_versions: bool = False) -> KeptCell | None:
    """Read a finished cell, or None where it has to be computed (again).

    With `any_versions`, versions of packages other than those now installed may have computed it.
    """
    path = folder / f"{file_stem(cell)}.json"
    try:
        kept = read_file(path, CellFile)
    except (OSError, ValueError):
        return None
    if (kept.cell, kept.digest, kept.data) != (cell, origin.digest, origin.sha256):
        return None
    if not any_versions and kept.versions != versions():
        return None
    try:
        parts = {suffix: _read_part(path, suffix, expected) for suffix, expected in kept.files.items()}
        arrays = _unpack_arrays(parts["npz"]) if "npz" in parts else {}
        weights = parse_weights(parts["safetensors"]) if "safetensors" in parts else {}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, SafetensorError):
        return None
    return KeptCell(CellOutput(kept.summary, arrays, weights), kept.seconds, kept.device)


def _read_part(path: Path, suffix: Part, expected: str) -> bytes:
    content = read_bytes(path.with_name(f"{path.name.removesuffix('.json')}.{suffix}"))
    if hashlib.sha256(content).hexdigest() != expected:
        raise ValueError(f"{path} and its {suffix} file do not belong together.")
    return content


def _pack_arrays(arrays: dict[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _unpack_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def are_of_other_versions(folder: Path) -> bool:
    """Say whether cells were computed with other versions of packages than those installed: they are not read then."""
    for path in sorted(folder.glob("*.json")):
        with contextlib.suppress(OSError, ValueError):
            if not path.name.endswith(".failed.json"):
                return read_file(path, CellFile).versions != versions()
    return False


def save_failure(folder: Path, outcome: Outcome) -> None:
    """Keep a cell's message, so that the run can end without it and say so."""
    content = FailedFile(cell=outcome.cell, error=outcome.error, trace=outcome.trace)
    write_json(folder / f"{file_stem(outcome.cell)}.failed.json", content)


def load_failure(folder: Path, cell: str) -> str | None:
    """Return why a cell failed, if it did."""
    try:
        return read_file(folder / f"{file_stem(cell)}.failed.json", FailedFile).error
    except (OSError, ValueError):
        return None


def forget_attempt(folder: Path, cell: str) -> None:
    """Clear away the failure and history of a cell that is about to be computed."""
    (folder / f"{file_stem(cell)}.failed.json").unlink(missing_ok=True)
    history_file(folder, cell).unlink(missing_ok=True)

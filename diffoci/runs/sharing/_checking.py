"""Check the files of a run that came from elsewhere, each by its kind, before it takes its place."""

from __future__ import annotations

import io
import lzma
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as parse_weights

from diffoci.plain_text import can_be_shown
from diffoci.runs.files import ends_whole
from diffoci.runs.run_files import CellFile, FailedFile, PlanFile, SpecFile, StateFile, check_schema, checked
from diffoci.runs.sharing._unpacking import (
    MOST_BYTES,
    MOST_BYTES_OF_ONE,
    MOST_FILES,
    Refused,
    check_end,
    has_shrunk_too_much,
)
from diffoci.runs.study import Spec, study_named
from diffoci.runs.typed_json import parse

NEEDED = ("spec.json", "plan.json", "state.json", "result.json")
_DEEPEST = 30
_MOST_ARRAYS = 1000
_MOST_BYTES_OF_HEADER = 1_000_000  # names and shapes of weights; a network has a few hundred bytes
_NOT_READABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    SyntaxError,
)


def check_run(folder: Path) -> None:
    """Check every file of an unpacked run; the first that is wrong is a sentence."""
    if missing := [name for name in NEEDED if not (folder / name).is_file()]:
        raise Refused(f"The run has no {missing[0]}; it is not finished, or not whole.")
    _check_state(folder / "state.json")
    _check_result(folder)
    paths = sorted((folder / "cells").iterdir()) if (folder / "cells").is_dir() else []
    _check_arrays_together([path for path in paths if path.suffix == ".npz"])
    for path in paths:
        _check_cell_file(path)


def _check_state(path: Path) -> None:
    state = checked(_values(path), StateFile, path.name).state
    if state != "done":
        raise Refused(f"Only a finished run is opened; state.json says that this one is {state}.")


def _check_result(folder: Path) -> None:
    """Check what was asked for, what was planned and what was found, and that they belong together."""
    asked = checked(_values(folder / "spec.json"), SpecFile, "spec.json")
    study = study_named(asked.study)
    spec = study.spec.from_dict(asked.spec, "The specification in spec.json")
    if asked.digest != spec.digest():
        raise Refused("spec.json is damaged: its digest is not right.")
    study.check_portable(spec)
    plan = checked(_values(folder / "plan.json"), PlanFile, "plan.json")
    if len(plan.cells) > MOST_FILES:
        raise Refused(f"plan.json lists more than {MOST_FILES:,} parts; no run has as many.")
    result = _values(folder / "result.json")
    check_schema(result, "result.json")
    study.read_result(result, "result.json")
    if not ends_whole(folder / "result.json"):
        raise Refused("result.json does not end as this program ends it; it was changed, or is not whole.")
    if not _is_of(result, spec, plan.sha256):
        raise Refused("The result of the run does not belong to its specification.")


def _is_of(result: Mapping[str, Any], spec: Spec, sha256: str) -> bool:
    """A study's result may say what was asked for, and of which data; then it says what the run says."""
    provenance = result.get("provenance")
    data = provenance.get("sha256", sha256) if isinstance(provenance, dict) else sha256
    return bool(data == sha256 and ("spec" not in result or result["spec"] == spec.to_dict()))


def _values(path: Path) -> dict[str, Any]:
    """The content of a JSON file in which every text can be shown."""
    content = parse(path.read_bytes(), path.name)
    check_texts(content, path.name)
    return content


def check_texts(value: Any, name: str, *, depth: int = _DEEPEST) -> None:
    """Refuse texts that are too long, cannot be written or would steer a terminal, and values nested without end."""
    if depth == 0:
        raise Refused(f"{name} is nested too deeply.")
    if isinstance(value, str):
        if not can_be_shown(value):
            raise Refused(f"{name} is not a text that can be shown: it is too long, or has control characters.")
    elif isinstance(value, dict):
        for key, entry in value.items():
            check_texts(key, name)
            check_texts(entry, f"{name}.{key[:40]}", depth=depth - 1)
    elif isinstance(value, list):
        for entry in value:
            check_texts(entry, name, depth=depth - 1)


def _check_cell_file(path: Path) -> None:
    if path.name.endswith(".failed.json"):
        checked(_values(path), FailedFile, path.name)
    elif path.suffix == ".json":
        checked(_values(path), CellFile, path.name)
    elif path.suffix == ".npz":
        _check_arrays(path)
    elif path.suffix == ".safetensors":
        try:
            content = path.read_bytes()
            if int.from_bytes(content[:8], "little") > _MOST_BYTES_OF_HEADER:
                raise ValueError("The header alone would fill the memory when parsed.")
            parse_weights(content)
        except (SafetensorError, ValueError, KeyError, TypeError):
            raise Refused(
                f"{path.name} is not a safetensors file; other formats, pickles above all, are not read."
            ) from None


def _check_arrays_together(paths: Sequence[Path]) -> None:
    """An npz file is a zip file of its own: all are bounded, together too, before one is read."""
    total = 0
    for path in paths:
        try:
            with path.open("rb") as file:
                check_end(file, most=_MOST_ARRAYS)
                with zipfile.ZipFile(file) as archive:
                    entries = archive.infolist()
        except _NOT_READABLE:
            raise Refused(_other_than_arrays(path)) from None
        size = sum(entry.file_size for entry in entries)
        total += size
        many = len(entries) > _MOST_ARRAYS or size > MOST_BYTES_OF_ONE or total > MOST_BYTES
        if many or any(map(has_shrunk_too_much, entries)):
            raise Refused(f"{path.name} would unpack to more than a run has; nothing was opened.")


def _check_arrays(path: Path) -> None:
    """Plain arrays only; nothing is unpickled."""
    sentence = _other_than_arrays(path)
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                _check_array(archive.read(entry), sentence)
    except _NOT_READABLE as problem:
        raise problem if isinstance(problem, Refused) else Refused(sentence) from None


def _other_than_arrays(path: Path) -> str:
    return f"{path.name} holds something other than plain arrays; pickles are not read."


def _check_array(content: bytes, sentence: str) -> None:
    buffer = io.BytesIO(content)
    version = np.lib.format.read_magic(buffer)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read_header(buffer)
    if dtype.hasobject or dtype.kind not in "biuf" or math.prod(shape) * dtype.itemsize != len(content) - buffer.tell():
        raise Refused(sentence)

"""Check the files of an audit that came from elsewhere, each by its kind, before it takes its place."""

from __future__ import annotations

import io
import lzma
import math
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as parse_weights

from diffoci.audit.spec import AuditSpec
from diffoci.data.sources import list_sources
from diffoci.runs.archive import (
    MOST_BYTES,
    MOST_BYTES_OF_ONE,
    MOST_FILES,
    Refused,
    check_end,
    has_shrunk_too_much,
    parse_json,
)
from diffoci.runs.files import ends_whole
from diffoci.runs.result_shape import (
    CELL_FILE,
    FAILED_FILE,
    PLAN_FILE,
    SPEC_FILE,
    STATE_FILE,
    check_result,
    check_spec,
)
from diffoci.runs.schema import check_schema
from diffoci.runs.shapes import Shape
from diffoci.runs.store import is_id

NEEDED = ("spec.json", "plan.json", "state.json", "result.json")
_FORBIDDEN_IN_NAME = re.compile(r"[/\\\x00-\x1f]")
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


def check_contents(folder: Path) -> None:
    """Check every file of an unpacked audit; the first that is wrong is a sentence."""
    if missing := [name for name in NEEDED if not (folder / name).is_file()]:
        raise Refused(f"The audit has no {missing[0]}; it is not finished, or not whole.")
    spec = _spec(folder / "spec.json")
    plan = _json(folder / "plan.json", PLAN_FILE)
    _json(folder / "state.json", STATE_FILE)
    result = parse_json((folder / "result.json").read_bytes(), "result.json")
    check_schema(result, "result.json")
    check_result(result)
    if len(plan["cells"]) > MOST_FILES:
        raise Refused(f"plan.json lists more than {MOST_FILES:,} parts; no audit has as many.")
    if not ends_whole(folder / "result.json"):
        raise Refused("result.json does not end as this program ends it; it was changed, or is not whole.")
    if result["provenance"]["sha256"] != plan["sha256"] or result["spec"] != spec.to_dict():
        raise Refused("The result of the audit does not belong to its specification.")
    paths = sorted((folder / "cells").iterdir()) if (folder / "cells").is_dir() else []
    _check_arrays_together([path for path in paths if path.suffix == ".npz"])
    for path in paths:
        _check_cell_file(path)


def is_bare_name(name: str) -> bool:
    """Say whether a name is that of a file, and of no folder.

    >>> is_bare_name("people.csv"), is_bare_name("../people.csv"), is_bare_name("")
    (True, False, False)
    """
    return name not in ("", ".", "..") and _FORBIDDEN_IN_NAME.search(name) is None


def _spec(path: Path) -> AuditSpec:
    content = _json(path, SPEC_FILE)
    check_spec(content["spec"])
    spec = AuditSpec.from_dict(content["spec"])
    if not is_id(content["id"]) or content["digest"] != spec.digest():
        raise Refused("spec.json is damaged: its id or digest is not right.")
    if spec.data.startswith("csv:"):
        if not is_bare_name(spec.data.removeprefix("csv:")):
            raise Refused("spec.json names a file of this machine by its path; a shared audit names it without.")
    elif spec.data not in {source.name for source in list_sources()}:
        raise Refused(f"The audit is of {spec.data[:60]!r}, a source that this installation does not have.")
    return spec


def _json(path: Path, shape: Shape) -> dict[str, Any]:
    content = parse_json(path.read_bytes(), path.name)
    check_schema(content, path.name)
    shape(content, path.name)
    return content


def _check_cell_file(path: Path) -> None:
    if path.name.endswith(".failed.json"):
        _json(path, FAILED_FILE)
    elif path.suffix == ".json":
        _json(path, CELL_FILE)
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
            raise Refused(f"{path.name} would unpack to more than an audit has; nothing was opened.")


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

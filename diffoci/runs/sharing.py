"""Share an audit as one zip file, and open one that was shared."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import shutil
import tempfile
import time
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from typing import IO, Any

from diffoci.audit.spec import AuditSpec
from diffoci.runs.archive import FORMAT, MANIFEST, Refused, is_allowed, unpack
from diffoci.runs.contents import check_contents
from diffoci.runs.files import read_json, write_json
from diffoci.runs.schema import SCHEMA, check_schema
from diffoci.runs.store import Run, runs_root

_OPENING = ".opening-"
_OPENING_SECONDS = 3600.0  # far longer than any archive takes to be checked
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same audit gives the same bytes


def pack(run: Run) -> bytes:
    """The zip file of a finished audit: its files, and a manifest with the size and digest of each.

    Data are not in it, nor names of folders of this machine: a file that was audited is named without its path.
    """
    state = run.status().state
    if state != "done":
        raise ValueError(f"Only a finished audit can be shared; this one is {state}.")
    buffer = io.BytesIO()
    listed: dict[str, Any] = {}
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in _portable_files(run):
            _add(archive, name, content)
            listed[name] = _described(content)
        manifest = {"format": FORMAT, "schema": SCHEMA, "id": run.id, "created": run.created, "files": listed}
        _add(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
    return buffer.getvalue()


def open_shared(file: IO[bytes], *, owner: str = "") -> Run:
    """Check an archive and put it among this machine's audits; an audit that is here already is only found again.

    Parameters
    ----------
    file : file
        The zip file, opened for reading and seekable.
    owner : str
        Whose it is from now on; empty where nobody signs in.

    Raises
    ------
    ValueError
        With a sentence, where the archive is refused; nothing is left behind then.
    """
    root = runs_root()
    root.mkdir(parents=True, exist_ok=True)
    _remove_left_over(root)
    staging = Path(tempfile.mkdtemp(dir=root, prefix=_OPENING))
    try:
        manifest = unpack(file, staging)
        check_schema(manifest, "The manifest")
        check_contents(staging)
        identifier = read_json(staging / "spec.json")["id"]
        if manifest.get("id") != identifier:
            raise Refused("The manifest of the zip file is that of another audit.")
        if _is_here(root / identifier, manifest["files"], owner):
            return Run.open(root / identifier)
        if (root / identifier).exists():
            identifier = uuid.uuid4().hex
            result = staging / "result.json"
            write_json(result, {**read_json(result), "id": identifier}, indent=1)
        spec = staging / "spec.json"
        write_json(spec, {**read_json(spec), "id": identifier, "owner": owner}, indent=1)
        staging.chmod(0o755)
        staging.rename(root / identifier)
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            raise OSError(
                f"The audit could not be kept: the disk is full, or {root} cannot be written to. Nothing was changed."
            ) from None
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return Run.open(root / identifier)


def _remove_left_over(root: Path) -> None:
    """Clear away what a killed server had half opened."""
    for folder in root.glob(f"{_OPENING}*"):
        with contextlib.suppress(OSError):  # finished meanwhile
            if time.time() - folder.stat().st_mtime > _OPENING_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _portable_files(run: Run) -> Iterator[tuple[str, bytes]]:
    """Every file that is shared, by name, without what belongs to this machine only."""
    portable = _portable(run.spec)
    paths = [path for path in (*run.folder.iterdir(), *run.cells.iterdir()) if path.is_file()]
    named = sorted((path.relative_to(run.folder).as_posix(), path) for path in paths)
    for name, path in named:
        if not is_allowed(name):
            continue  # lock, log, words kept for the home page
        if name.endswith(".failed.json"):
            yield name, _dumped({**read_json(path), "trace": ""})
        elif name == "spec.json":
            yield name, _dumped(_respecified({**read_json(path), "owner": ""}, portable))
        elif portable is not run.spec and path.suffix == ".json" and name != "state.json":
            yield name, _dumped(_respecified(read_json(path), portable))
        else:
            yield name, path.read_bytes()


def _portable(spec: AuditSpec) -> AuditSpec:
    if not spec.data.startswith("csv:"):
        return spec
    return replace(spec, data=f"csv:{PurePath(spec.data.removeprefix('csv:')).name}")


def _respecified(content: dict[str, Any], spec: AuditSpec) -> dict[str, Any]:
    """Digests of cells are those of the specification, so they change with it."""
    changed = {"spec": spec.to_dict(), "digest": spec.digest()}
    return {**content, **{name: value for name, value in changed.items() if name in content}}


def _is_here(folder: Path, files: dict[str, Any], owner: str) -> bool:
    """Whether the same person has the same audit under the same id."""
    if not folder.is_dir():
        return False
    with contextlib.suppress(ValueError, OSError):
        run = Run.open(folder)
        return run.owner == owner and files == {name: _described(part) for name, part in _portable_files(run)}
    return False


def _described(content: bytes) -> dict[str, Any]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _dumped(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n"


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _WHEN)
    entry.external_attr = 0o100644 << 16
    packed = name.endswith((".npz", ".safetensors"))
    entry.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)

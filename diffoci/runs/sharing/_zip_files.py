"""Share a run as one zip file, and open one that was shared."""

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
from pathlib import Path
from typing import IO, Any

from diffoci.runs.files import read_json, write_json
from diffoci.runs.run_files import SCHEMA, SpecFile, check_schema, read_file
from diffoci.runs.sharing._checking import check_run
from diffoci.runs.sharing._signature import signature_in, signed_zip, signer_of
from diffoci.runs.sharing._unpacking import FORMAT, MANIFEST, Refused, is_allowed, unpack
from diffoci.runs.store import Run, runs_root
from diffoci.runs.study import Spec
from diffoci.signing.keys import PrivateKey, PublicKey

_OPENING = ".opening-"
_OPENING_SECONDS = 3600.0  # far longer than any archive takes to be checked
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same run gives the same bytes


def pack(run: Run, *, key: PrivateKey | None = None) -> bytes:
    """The zip file of a finished run: its files, and a manifest with the size and digest of each; signed with a key.

    Data are not in it, nor names of folders of this machine: a file is named without its path.
    """
    state = run.status().state
    if state != "done":
        raise ValueError(f"Only a finished run can be shared; this one is {state}.")
    buffer = io.BytesIO()
    listed: dict[str, Any] = {}
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in _portable_files(run):
            _add(archive, name, content)
            listed[name] = _described(content)
        manifest = {"format": FORMAT, "schema": SCHEMA, "id": run.id, "created": run.created, "files": listed}
        _add(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
    return signed_zip(buffer.getvalue(), key)


def open_shared(file: IO[bytes], *, owner: str = "") -> Run:
    """Check an archive and put it among this machine's runs; one that is here already is only found again.

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
    remove_left_over(root)
    staging = Path(tempfile.mkdtemp(dir=root, prefix=_OPENING))
    try:
        manifest, _ = _unpacked(file, staging)
        return _put_in_place(staging, root, manifest, owner)
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            raise OSError(
                f"The run could not be kept: the disk is full, or {root} cannot be written to. Nothing was changed."
            ) from None
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def check_shared(file: IO[bytes]) -> tuple[int, PublicKey | None]:
    """Check an archive as if it were opened, and put nothing anywhere: how many files it has, and who signed it."""
    with tempfile.TemporaryDirectory(prefix="diffoci-verify-") as folder:
        manifest, signer = _unpacked(file, Path(folder))
        return len(manifest["files"]), signer


def _unpacked(file: IO[bytes], folder: Path) -> tuple[dict[str, Any], PublicKey | None]:
    """Unpack an archive into an empty folder, with every check; what is wrong with it is a sentence."""
    signer = signer_of(file)
    manifest = unpack(file, folder, comment=len(signature_in(file)))
    check_schema(manifest, "The manifest")
    check_run(folder)
    return manifest, signer


def _put_in_place(staging: Path, root: Path, manifest: dict[str, Any], owner: str) -> Run:
    """Give a checked run its place, under its own id or, where another run has that, under a new one."""
    identifier = read_file(staging / "spec.json", SpecFile).id
    if manifest.get("id") != identifier:
        raise Refused("The manifest of the zip file is that of another run.")
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
    return Run.open(root / identifier)


def remove_left_over(root: Path) -> None:
    """Clear away what a killed server had half opened."""
    for folder in root.glob(f"{_OPENING}*"):
        with contextlib.suppress(OSError):  # finished meanwhile
            if time.time() - folder.stat().st_mtime > _OPENING_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _portable_files(run: Run) -> Iterator[tuple[str, bytes]]:
    """Every file that is shared, by name, without what belongs to this machine only."""
    portable = run.study.portable(run.spec)
    paths = [path for path in (*run.folder.glob("*"), *run.cells.glob("*")) if path.is_file()]
    named = sorted((path.relative_to(run.folder).as_posix(), path) for path in paths)
    for name, path in named:
        if not is_allowed(name):
            continue  # lock, log, words kept for the home page
        if name.endswith(".failed.json"):
            yield name, _dumped({**read_json(path), "trace": ""})
        elif name == "spec.json":
            yield name, _dumped(_respecified({**read_json(path), "owner": ""}, portable))
        elif portable != run.spec and path.suffix == ".json" and name != "state.json":
            yield name, _dumped(_respecified(read_json(path), portable))
        else:
            yield name, path.read_bytes()


def _respecified(content: dict[str, Any], spec: Spec) -> dict[str, Any]:
    """Digests of cells are those of the specification, so they change with it."""
    changed = {"spec": spec.to_dict(), "digest": spec.digest()}
    return {**content, **{name: value for name, value in changed.items() if name in content}}


def _is_here(folder: Path, files: dict[str, Any], owner: str) -> bool:
    """Whether the same person has the same run under the same id."""
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

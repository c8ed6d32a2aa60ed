"""Drafts kept on disk for a while, so that reloading a page loses none; the address holds the name of one.

A name stands for what was chosen and by whom, so that nobody's choice is ever written over by somebody else's.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diffoci.runs.files import names_path, read_json, write_json
from diffoci.runs.retention import DRAFTS
from diffoci.runs.run_files import is_id
from diffoci.runs.store import runs_root

_FORMAT = 1


def keep_draft(values: Mapping[str, Any], *, owner: str) -> str | None:
    """Keep plain values and return their name; None where the disk does not take them."""
    content = {"schema": _FORMAT, "owner": owner, "draft": dict(values)}
    name = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]
    path = _folder() / f"{name}.json"
    with contextlib.suppress(OSError):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, content)
            forget_old_drafts()
        return name
    return None


def kept_draft(name: str, *, owner: str) -> dict[str, Any] | None:
    """Return the values of a name; somebody else's are not told from those that do not exist."""
    if not is_id(name):
        return None
    with contextlib.suppress(OSError, ValueError):
        content = read_json(_folder() / f"{name}.json")
        if content.get("schema") == _FORMAT and content.get("owner") == owner:
            return dict(content["draft"])
    return None


def forget_old_drafts() -> int:
    """Delete the drafts that are too old; return how many."""
    return sum(_forget(path) for path in _files() if DRAFTS.is_over(_written(path)))


def forget_drafts_of(file: Path) -> int:
    """Delete every draft that names a file, or a file below a folder, half-written ones included; return how many."""
    return sum(_forget(path) for path in _files() if names_path(path, file))


def _files() -> list[Path]:
    folder = _folder()
    return [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # forgotten meanwhile
        return float("inf")


def _forget(path: Path) -> bool:
    path.unlink(missing_ok=True)
    return True


def _folder() -> Path:
    return runs_root() / "drafts"

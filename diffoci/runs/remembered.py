"""What was chosen for a file, remembered per owner for the next file of the same columns; the oldest are forgotten."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from diffoci.runs.files import names_path, read_json, write_json
from diffoci.runs.retention import ROLES
from diffoci.runs.store import runs_root

MOST = 100  # sets of columns, for each owner
_FORMAT = 1


def remember(columns: Iterable[str], choices: Mapping[str, Any], *, file: Path, owner: str) -> None:
    """Keep what was chosen for a file under its columns, in whatever order; a disk that takes none forgets it."""
    path = _path(columns, owner)
    content = {"schema": _FORMAT, "owner": owner, "file": str(file), "choices": dict(choices)}
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, content)
        newest = sorted(path.parent.glob("*.json"), key=lambda path: -path.stat().st_mtime)
        for old in newest[MOST:]:
            old.unlink(missing_ok=True)


def remembered(columns: Iterable[str], *, owner: str) -> dict[str, Any] | None:
    """Return what this owner chose last for the same columns."""
    path = _path(columns, owner)
    with contextlib.suppress(OSError, ValueError):
        content = read_json(path)
        if content.get("schema") == _FORMAT and content.get("owner") == owner and not _is_old(path):
            choices = content.get("choices")
            return choices if isinstance(choices, dict) else None
    return None


def forget_old_roles() -> int:
    """Delete what was chosen too long ago; return how many."""
    return _forget(path for path in _files() if _is_old(path))


def forget_roles_of(file: Path) -> int:
    """Delete what was chosen last for a file, or for a file below a folder; return how many."""
    return _forget(path for path in _files() if names_path(path, file))


def _is_old(path: Path) -> bool:
    try:
        return ROLES.is_over(path.stat().st_mtime)
    except FileNotFoundError:  # forgotten meanwhile
        return False


def _forget(paths: Iterable[Path]) -> int:
    found = list(paths)
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def _files() -> list[Path]:
    return [path for path in _folder().glob("*/*") if path.is_file()]


def _path(columns: Iterable[str], owner: str) -> Path:
    return _folder() / _digest(owner) / f"{_digest(sorted(columns))}.json"


def _folder() -> Path:
    return runs_root() / "remembered"


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]

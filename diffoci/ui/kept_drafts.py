"""Drafts kept on disk for some weeks, so that reloading a page loses none; the address holds the name of one.

A name stands for what was chosen and by whom, so that nobody's choice is ever written over by somebody else's.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diffoci.runs.files import read_json, write_json
from diffoci.runs.schema import SCHEMA
from diffoci.runs.store import is_id, runs_root
from diffoci.ui.signin import owner

_WEEKS = 4


def keep(values: Mapping[str, Any]) -> str | None:
    """Keep plain values and return their name; None where the disk does not take them: the session has them still."""
    content = {"schema": SCHEMA, "owner": owner(), "draft": dict(values)}
    name = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]
    path = _folder() / f"{name}.json"
    with contextlib.suppress(OSError):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, content)
            _forget_old()
        return name
    return None


def kept(name: str) -> dict[str, Any] | None:
    """Return the values of a name; somebody else's are not told from those that do not exist."""
    if not is_id(name):
        return None
    with contextlib.suppress(OSError, ValueError):
        content = read_json(_folder() / f"{name}.json")
        if content.get("schema") == SCHEMA and content.get("owner") == owner():
            return dict(content["draft"])
    return None


def _forget_old() -> None:
    for path in _folder().glob("*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _WEEKS * 7 * 86_400:
                path.unlink()


def _folder() -> Path:
    return runs_root() / "drafts"

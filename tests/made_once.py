"""Audits that several tests read: made once for all processes of a test run, by whichever needs one first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from diffoci.runs.store import Run

# The folder that all processes of a test run share; the first of them makes and removes it (tests/conftest.py).
SHARED = "DIFFOCI_TEST_RUN"


def made_once(name: str, make: Callable[[Path], Run]) -> Run:
    """The audit that `make` runs in a folder; a test that changes it must copy it first."""
    folder = Path(os.environ[SHARED]) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return Run.open(folder / "run") if (folder / "run" / "result.json").exists() else make(folder)

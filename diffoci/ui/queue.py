"""The queue: audits started from the pages wait for each other, so that each has the machine to itself.

A waiting audit is an empty file in the folder `queue` beside the runs, so a restart of the server forgets none.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from diffoci.runs.launch import start
from diffoci.runs.lock import AlreadyRunning, RunLock, is_locked
from diffoci.runs.store import Run, Status, is_id, run_with_id, runs_root

_EVERY = 0.5  # seconds between two looks at what runs
_guard = threading.Lock()
_watchers: list[threading.Thread] = []


def enqueue(run: Run) -> None:
    """Start or resume an audit, at once or after those before it."""
    run.uncancel()
    if run.id not in waiting():
        _folder().mkdir(parents=True, exist_ok=True)
        (_folder() / f"{time.time_ns():020d}-{run.id}").touch()
    advance()
    keep_advancing()


def withdraw(run: Run) -> None:
    """Stop an audit that runs, or take it out of the queue."""
    with contextlib.suppress(AlreadyRunning), _turn(patience=3.0):  # not while another thread is about to start it
        for marker in _markers():
            if marker.name.endswith(run.id):
                marker.unlink(missing_ok=True)
    run.cancel()


def waiting() -> tuple[str, ...]:
    """Return the ids of the audits that wait, the next one first."""
    return tuple(marker.name[-32:] for marker in _markers())


def standing(run: Run) -> Status:
    """Return where an audit stands, the queue included."""
    return Status("waiting") if run.id in waiting() else run.status()


def now_running() -> tuple[str, ...]:
    """Return the ids of the audits that run, whoever started them."""
    root = runs_root()
    folders = root.iterdir() if root.is_dir() else ()
    return tuple(folder.name for folder in folders if is_id(folder.name) and is_locked(folder / "lock"))


def advance() -> None:
    """Start the next audit if there is room for it. Two servers over one folder take turns."""
    with contextlib.suppress(AlreadyRunning), _turn():
        for marker in _markers():
            if len(now_running()) >= _at_once():
                return
            with contextlib.suppress(ValueError, OSError):  # deleted, damaged or running: it must not hold up others
                start(run_with_id(marker.name[-32:]).folder)
            marker.unlink(missing_ok=True)


def keep_advancing() -> None:
    """Watch the queue until it is empty; called on every page, so that a restarted server goes on."""
    with _guard:
        _watchers[:] = [thread for thread in _watchers if thread.is_alive()]
        if waiting() and not _watchers:
            _watchers.append(threading.Thread(target=_watch, daemon=True))
            _watchers[-1].start()


def _watch() -> None:
    while waiting():
        with contextlib.suppress(OSError):
            advance()
        time.sleep(_EVERY)


@contextlib.contextmanager
def _turn(*, patience: float = 0.2) -> Iterator[None]:
    runs_root().mkdir(parents=True, exist_ok=True)
    with RunLock.acquire(runs_root() / "queue.lock", patience=patience):
        yield


def _markers() -> list[Path]:
    try:
        return sorted(marker for marker in _folder().iterdir() if is_id(marker.name[-32:]))
    except OSError:
        return []


def _folder() -> Path:
    return runs_root() / "queue"


def _at_once() -> int:
    text = os.environ.get("DIFFOCI_AT_ONCE", "1")
    return max(1, int(text)) if text.isdecimal() else 1

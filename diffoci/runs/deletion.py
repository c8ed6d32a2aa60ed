"""Delete runs: one with everything in its directory, or those nobody worked on for long; none that goes on or waits."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from diffoci.runs.files import finish_removing, names_path, remove_folder, remove_parts, said_in_words
from diffoci.runs.lock import AlreadyRunning, RunLock, is_locked
from diffoci.runs.queue import waiting
from diffoci.runs.run_files import is_id
from diffoci.runs.store import NAME_FILE, Run, now_running, run_with_id, runs_root

# What a run writes into its directory, beside the folder of its cells.
_FILES = (
    "spec.json", "plan.json", "progress.jsonl", "state.json", "result.json", "headline.json", "worker.log", "cancel",
    "lock", NAME_FILE,
)  # fmt: skip
_WORKED_ON = ("spec.json", "plan.json", "progress.jsonl", "state.json", "result.json")  # not what looking at it writes


class GoesOn(ValueError):
    """A run is not deleted while it goes on or waits."""

    def __init__(self, name: str, state: str) -> None:
        super().__init__(f"The run {name} is {state}; cancel it before you delete it.")


def delete_run(folder: Path) -> None:
    """Delete a run directory, damaged ones too. Of a directory outside `runs_root` only the files of the run go.

    Raises
    ------
    GoesOn
        If the run goes on or waits; nothing is deleted then.
    """
    folder = folder.resolve()
    check_deletable(folder)
    try:
        lock = RunLock.acquire(folder / "lock", patience=0.2)
    except AlreadyRunning:
        raise GoesOn(folder.name, "running") from None
    with lock:  # whoever starts it now finds it gone
        if folder.parent == runs_root() and is_id(folder.name):
            remove_folder(folder)
        else:
            _remove_own_files(folder)


def check_deletable(folder: Path) -> None:
    """Refuse, in a sentence, a run that goes on or waits, and one that is not there."""
    if not folder.is_dir():
        raise ValueError(f"There is no run in {folder}.")
    if folder.name in waiting():
        raise GoesOn(folder.name, "waiting for its turn")
    if is_locked(folder / "lock"):
        raise GoesOn(folder.name, "running")


def id_in(folder: Path) -> str:
    """Return the id of the run in a directory, or nothing where it is damaged and lies outside `runs_root`."""
    if is_id(folder.name):
        return folder.name
    with contextlib.suppress(ValueError, OSError):
        return Run.open(folder).id
    return ""


def _remove_own_files(folder: Path) -> None:
    """Delete what a run wrote into a folder that may hold other things."""
    with said_in_words(folder / "spec.json"):
        remove_parts(folder)
        for name in _FILES:
            (folder / name).unlink(missing_ok=True)
        if (folder / "cells").is_dir():
            shutil.rmtree(folder / "cells")
    with contextlib.suppress(OSError):  # what is not ours stays
        folder.rmdir()


def deletable_runs(*, older_than: float) -> tuple[Path, ...]:
    """Return the directories below `runs_root` that nobody worked on for so many seconds, the oldest first.

    Runs that go on or wait are not among them; damaged ones are.
    """
    times = {folder: last_worked_on(folder) for folder in _run_folders()}
    old = [folder for folder in times if time.time() - times[folder] > older_than]
    wait = waiting() if old else ()
    free = (folder for folder in old if folder.name not in wait and not is_locked(folder / "lock"))
    return tuple(sorted(free, key=times.__getitem__))


def last_worked_on(folder: Path) -> float:
    """Return when a run was made, worked on or taken in from elsewhere last, in seconds since 1970."""
    times = []
    for path in (folder / name for name in _WORKED_ON):
        with contextlib.suppress(OSError):
            times.append(path.stat().st_mtime)
    return max(times) if times else folder.stat().st_mtime


def _run_folders() -> Iterator[Path]:
    root = runs_root()
    return (folder for folder in (root.iterdir() if root.is_dir() else ()) if is_id(folder.name) and folder.is_dir())


def finish_deleting() -> None:
    """Delete what a killed process had begun to delete."""
    uploads = runs_root() / "uploads"
    for parent in (runs_root(), uploads, *(uploads.iterdir() if uploads.is_dir() else ())):
        finish_removing(parent)


def files_in_use() -> frozenset[Path]:
    """Return the files that runs which go on or wait are computed from."""
    return frozenset(path for run in _busy_runs() for path in _files_of(run))


def _busy_runs() -> Iterator[Run]:
    for identifier in {*waiting(), *now_running()}:
        with contextlib.suppress(ValueError, OSError):  # damaged: it cannot go on
            yield run_with_id(identifier)


def folders_reading(place: Path) -> tuple[Path, ...]:
    """Return the run directories below `runs_root` that are computed from a file, or from a file below a folder.

    Those that cannot be opened, as they are damaged or of a study that is not here, are known by what they name.
    """
    return tuple(folder for folder in _run_folders() if _reads(folder, place))


def _reads(folder: Path, place: Path) -> bool:
    try:
        return reads(Run.open(folder), place)
    except (ValueError, OSError):
        return names_path(folder / "spec.json", place)


def reads(run: Run, place: Path) -> bool:
    """Say whether a run is computed from a file, or from a file below a folder."""
    return any(path.is_relative_to(place.resolve()) for path in _files_of(run))


def _files_of(run: Run) -> Iterator[Path]:
    return (path.resolve() for path in run.study.files_read(run.spec))

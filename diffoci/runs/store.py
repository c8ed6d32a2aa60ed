"""Run directories: one folder for each run, with its specification, its state and where everything else lies."""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import platformdirs

from diffoci.runs.files import ends_whole, overwrite_json, read_json, said_in_words, write_json
from diffoci.runs.lock import RunLock, is_locked
from diffoci.runs.run_files import SpecFile, State, StateFile, check_schema, checked, is_id, read_file
from diffoci.runs.study import AnyStudy, Spec, study_named

NAME_FILE = "name.json"  # see diffoci.runs.names
HALF_WRITTEN = (
    "The result is gone or only half written; its finished parts are kept: resume it, and the result is put together "
    "from them."
)


@dataclass(frozen=True)
class Status:
    """Where a run stands, with a sentence where there is something to say."""

    state: State
    message: str = ""


@dataclass(frozen=True)
class Run:
    """A run directory. `created` is in seconds since 1970; `owner` is empty where nobody had to sign in.

    `spec` is of the type that the study says.
    """

    folder: Path
    id: str
    study: AnyStudy
    spec: Any
    created: float
    owner: str = ""

    @classmethod
    def create(cls, study: AnyStudy, spec: Spec, *, folder: Path | None = None, owner: str = "") -> Self:
        """Make a new run directory: below `runs_root`, or `folder` itself."""
        identifier = uuid.uuid4().hex
        folder = runs_root() / identifier if folder is None else folder
        with said_in_words(folder):
            (folder / "cells").mkdir(parents=True, exist_ok=True)
        if (folder / "spec.json").exists():
            raise ValueError(f"{folder} already holds a run.")
        content = SpecFile(
            id=identifier,
            created=time.time(),
            owner=owner,
            study=study.name,
            digest=spec.digest(),
            spec=spec.to_dict(),
        )
        write_json(folder / "spec.json", content, indent=1)
        return cls(folder, identifier, study, spec, content.created, owner)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Read a run directory, or say in a sentence why not."""
        path = folder / "spec.json"
        if not path.is_file():
            raise ValueError(f"There is no run in {folder}.")
        content = read_file(path, SpecFile)
        study = study_named(content.study)
        spec = study.spec.from_dict(content.spec, f"The specification in {path}")
        return cls(folder, content.id, study, spec, content.created, content.owner)

    @property
    def cells(self) -> Path:
        return self.folder / "cells"

    @property
    def progress_file(self) -> Path:
        return self.folder / "progress.jsonl"

    @property
    def plan_file(self) -> Path:
        return self.folder / "plan.json"

    @property
    def result_file(self) -> Path:
        return self.folder / "result.json"

    @property
    def log_file(self) -> Path:
        return self.folder / "worker.log"

    def lock(self) -> RunLock:
        """Take hold of the run, or raise `AlreadyRunning`."""
        return RunLock.acquire(self.folder / "lock")

    def is_running(self) -> bool:
        """Say whether a live process works on it."""
        return is_locked(self.folder / "lock")

    def record(self, state: State, message: str = "") -> None:
        """Write the state down; only the holder of the lock may."""
        content = StateFile(state=state, message=message, time=time.time())
        path = self.folder / "state.json"
        try:
            write_json(path, content)
        except OSError as problem:
            try:
                overwrite_json(path, content)
            except OSError:
                raise problem from None

    def status(self) -> Status:
        """Return where the run stands. A state of "running" on disk counts only while the lock is held."""
        if self.is_running():
            return Status("running", "stopping" if self.is_cancelled() else "")
        recorded = self._recorded()  # read after the lock was seen free: nobody writes it any more
        if recorded.state in ("waiting", "running") and self.is_cancelled():
            return Status("cancelled")
        if recorded.state == "running":
            return Status("interrupted", "The process that ran it ended before it was done; resume it.")
        if recorded.state == "done" and not ends_whole(self.result_file):
            return Status("failed", HALF_WRITTEN)
        return Status(recorded.state, recorded.message)

    def _recorded(self) -> StateFile:
        path = self.folder / "state.json"
        if not path.exists():
            return StateFile(state="waiting")
        try:
            content = read_json(path)
        except ValueError:  # torn by a crash of the machine; the cells say for themselves what is finished
            return StateFile(state="running")
        return checked(content, StateFile, f"The file {path}")

    def recorded_at(self) -> float:
        """Return when the state was written down last, in seconds since 1970; 0 if never."""
        with contextlib.suppress(ValueError, OSError):
            return self._recorded().time
        return 0.0

    def cancel(self) -> None:
        """Ask the run to stop; it does within three seconds."""
        with said_in_words(self.folder / "cancel"):
            (self.folder / "cancel").touch()

    def uncancel(self) -> None:
        """Take the request back, before resuming."""
        with said_in_words(self.folder / "cancel"):
            (self.folder / "cancel").unlink(missing_ok=True)

    def is_cancelled(self) -> bool:
        """Say whether it was asked to stop."""
        return (self.folder / "cancel").exists()

    def discard(self) -> None:
        """Take back a run that never got as far as a plan, so that a corrected one can use its folder."""
        if self.plan_file.exists() or self.is_running():
            return
        for name in ("spec.json", "state.json", "progress.jsonl", "worker.log", "cancel", "lock", NAME_FILE):
            (self.folder / name).unlink(missing_ok=True)
        for folder in (self.cells, self.folder):
            with contextlib.suppress(OSError):  # what is not ours stays
                folder.rmdir()

    def result(self) -> Any:
        """Read the finished result, of the type that the study says, or say why there is none."""
        if not self.result_file.exists():
            status = self.status()
            raise ValueError(f"This run has no result: it is {status.state}. {status.message}".strip())
        if not ends_whole(self.result_file):
            raise ValueError(HALF_WRITTEN)
        content = read_json(self.result_file)
        check_schema(content, f"The file {self.result_file}")
        return self.study.read_result(content, self.result_file.name)


def runs_root() -> Path:
    """Return the folder of runs: DIFFOCI_RUNS, or the user's data folder."""
    named = os.environ.get("DIFFOCI_RUNS")
    root = Path(named).expanduser() if named else platformdirs.user_data_path("diffoci", appauthor=False) / "runs"
    return root.resolve()


def run_with_id(identifier: str) -> Run:
    """Open the run of an id; anything else, and an id that does not exist, is a sentence."""
    if not is_id(identifier):
        raise ValueError("That is not the id of a run: an id has 32 digits and letters a to f.")
    folder = runs_root() / identifier
    if not folder.is_dir():
        raise absent(identifier)
    return Run.open(folder)


def absent(identifier: str) -> ValueError:
    """What is said of a run that is not here."""
    return ValueError(f"There is no run {identifier} on this machine; it may have been deleted.")


def list_runs() -> tuple[Run, ...]:
    """Return every readable run below `runs_root`, the newest first."""
    return tuple(sorted(readable_runs(), key=lambda run: run.created, reverse=True))


def now_running() -> tuple[str, ...]:
    """Return the ids of the runs that go on, whoever started them."""
    root = runs_root()
    folders = root.iterdir() if root.is_dir() else ()
    return tuple(folder.name for folder in folders if is_id(folder.name) and is_locked(folder / "lock"))


def readable_runs(*, having: str = "spec.json") -> Iterator[Run]:
    """Read one run after the other below `runs_root`, of those that have a file of this name, in no order."""
    root = runs_root()
    for folder in root.iterdir() if root.is_dir() else ():
        if is_id(folder.name) and (folder / having).is_file():
            try:
                yield Run.open(folder)
            except (ValueError, OSError):
                continue  # one damaged run must not hide the others

"""Run directories: one folder an audit, with its specification, its state and where everything else lies."""

from __future__ import annotations

import contextlib
import os
import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, cast, get_args

import platformdirs

from diffoci.audit.spec import AuditSpec
from diffoci.runs.files import ends_whole, overwrite_json, read_json, said_in_words, write_json
from diffoci.runs.lock import RunLock, is_locked
from diffoci.runs.schema import SCHEMA, check_schema

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
HALF_WRITTEN = (
    "The result of this audit is gone or only half written; its finished parts are kept: resume the audit, and the "
    "result is put together from them."
)
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Status:
    """Where a run stands, with a sentence where there is something to say."""

    state: State
    message: str = ""


@dataclass(frozen=True)
class Run:
    """A run directory. `created` is in seconds since 1970; `owner` is empty where nobody had to sign in."""

    folder: Path
    id: str
    spec: AuditSpec
    created: float
    owner: str = ""

    @classmethod
    def create(cls, spec: AuditSpec, *, folder: Path | None = None, owner: str = "") -> Self:
        """Make a new run directory: below `runs_root`, or `folder` itself."""
        identifier = uuid.uuid4().hex
        folder = runs_root() / identifier if folder is None else folder
        with said_in_words(folder):
            (folder / "cells").mkdir(parents=True, exist_ok=True)
        if (folder / "spec.json").exists():
            raise ValueError(f"{folder} already holds an audit.")
        created = time.time()
        content = {"schema": SCHEMA, "id": identifier, "created": created, "owner": owner, "digest": spec.digest()}
        write_json(folder / "spec.json", {**content, "spec": spec.to_dict()}, indent=1)
        return cls(folder, identifier, spec, created, owner)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Read a run directory, or say in a sentence why not."""
        path = folder / "spec.json"
        if not path.is_file():
            raise ValueError(f"There is no audit in {folder}.")
        content = read_json(path)
        check_schema(content, path)
        if not is_id(str(content.get("id"))) or not isinstance(content.get("spec"), dict):
            raise ValueError(f"The file {path} is damaged: it has no id or no specification.")
        spec = AuditSpec.from_dict(content["spec"])
        return cls(folder, content["id"], spec, float(content.get("created") or 0.0), str(content.get("owner") or ""))

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
        content = {"schema": SCHEMA, "state": state, "message": message, "time": time.time()}
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
        path = self.folder / "state.json"  # read after the lock was seen free: nobody writes it any more
        try:
            content = read_json(path) if path.exists() else {"state": "waiting"}
        except ValueError:  # torn by a crash of the machine; the cells say for themselves what is finished
            content = {"state": "running"}
        state, message = content.get("state"), str(content.get("message") or "")
        if state in ("waiting", "running") and self.is_cancelled():
            return Status("cancelled")
        if state == "running":
            return Status("interrupted", "The process that ran it ended before the audit did; resume it.")
        if state == "done" and not ends_whole(self.result_file):
            return Status("failed", HALF_WRITTEN)
        if state not in get_args(State):
            raise ValueError(f"The file {path} is damaged: it has no state.")
        return Status(cast(State, state), message)

    def recorded_at(self) -> float:
        """Return when the state was written down last, in seconds since 1970; 0 if never."""
        path = self.folder / "state.json"
        with contextlib.suppress(ValueError, OSError):
            return float(read_json(path).get("time") or 0.0)
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
        for name in ("spec.json", "state.json", "progress.jsonl", "cancel", "lock"):
            (self.folder / name).unlink(missing_ok=True)
        for folder in (self.cells, self.folder):
            with contextlib.suppress(OSError):  # what is not ours stays
                folder.rmdir()

    def result(self) -> dict[str, Any]:
        """Read the finished result, or say why there is none."""
        if not self.result_file.exists():
            status = self.status()
            raise ValueError(f"This audit has no result: it is {status.state}. {status.message}".strip())
        if not ends_whole(self.result_file):
            raise ValueError(HALF_WRITTEN)
        content = read_json(self.result_file)
        check_schema(content, self.result_file)
        return content


def is_id(text: str) -> bool:
    """Say whether a text is a run's id: 32 hexadecimal digits, so that it can name no other path.

    Examples
    --------
    >>> is_id("0" * 32), is_id("../" + "0" * 29)
    (True, False)
    """
    return _ID.fullmatch(text) is not None


def runs_root() -> Path:
    """Return the folder of runs: DIFFOCI_RUNS, or the user's data folder."""
    named = os.environ.get("DIFFOCI_RUNS")
    root = Path(named).expanduser() if named else platformdirs.user_data_path("diffoci", appauthor=False) / "runs"
    return root.resolve()


def run_with_id(identifier: str) -> Run:
    """Open the run of an id; anything else, and an id that does not exist, is a sentence."""
    if not is_id(identifier):
        raise ValueError("That is not the id of an audit: an id has 32 digits and letters a to f.")
    folder = runs_root() / identifier
    if not folder.is_dir():
        raise ValueError(f"There is no audit {identifier} on this machine; it may have been deleted.")
    return Run.open(folder)


def list_runs() -> tuple[Run, ...]:
    """Return every readable run below `runs_root`, the newest first."""
    return tuple(sorted(_readable_runs(), key=lambda run: run.created, reverse=True))


def now_running() -> tuple[str, ...]:
    """Return the ids of the audits that run, whoever started them."""
    root = runs_root()
    folders = root.iterdir() if root.is_dir() else ()
    return tuple(folder.name for folder in folders if is_id(folder.name) and is_locked(folder / "lock"))


def _readable_runs() -> Iterator[Run]:
    root = runs_root()
    for folder in root.iterdir() if root.is_dir() else ():
        if is_id(folder.name):
            try:
                yield Run.open(folder)
            except (ValueError, OSError):
                continue  # one damaged run must not hide the others

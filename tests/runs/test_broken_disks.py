"""Real disks that are full or read-only, under runs in processes of their own."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.runs import queue
from diffoci.runs.launch import start
from diffoci.runs.runner import execute
from diffoci.runs.store import Run
from tests.runs.conftest import HERE, numbers, undisturbed, wait_until

NewRun = Callable[..., Run]
FULL = "The disk is full: "
CLONE_NEWNS = 0x00020000  # linux/sched.h


@pytest.fixture(scope="module", autouse=True)
def mounts_of_our_own() -> None:
    """Mounts made here are seen by this process and its children only, and end with them, however they end."""
    time.sleep(1.0)  # a thread that watched the queue of an earlier test would see no mount: it ends by then
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    if unshare is not None and unshare(CLONE_NEWNS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def mounted(*arguments: str) -> None:
    """Mount something, or skip where only an administrator may."""
    done = subprocess.run(["mount", *arguments], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("needs the right to mount")


@pytest.fixture
def small_disk(root: Path) -> Iterator[Path]:
    """A disk of its own under the runs, of half a megabyte."""
    root.mkdir(parents=True)
    mounted("-t", "tmpfs", "-o", "size=512k", "tmpfs", str(root))
    try:
        yield root
    finally:
        subprocess.run(["umount", "--lazy", str(root)], check=True)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nothing be written below a folder; permissions do not bind an administrator, a mount does."""
    if os.geteuid() != 0:
        (folder / "cells").chmod(0o500)
        folder.chmod(0o500)
        try:
            yield
        finally:
            folder.chmod(0o700)
            (folder / "cells").chmod(0o700)
        return
    mounted("--bind", str(folder), str(folder))
    try:
        mounted("-o", "remount,bind,ro", str(folder))
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 512)
    return filler


def finished_cells(run: Run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.cells.glob("*.json") if "failed" not in path.name}


def begin(run: Run) -> int:
    """Start a run in a process of its own and wait until some of it is finished."""
    pid = start(run.folder, jobs=1)
    wait_until(lambda: finished_cells(run))
    return pid


def ended(run: Run) -> None:
    wait_until(lambda: not run.is_running())
    assert "Traceback" not in run.log_file.read_text()


def resumed_is_the_same(run: Run, kept: dict[str, bytes], expected: dict[str, object]) -> None:
    assert 1 <= len(kept) < 6
    assert execute(run, HERE).state == "done"
    assert kept.items() <= finished_cells(run).items()
    assert numbers(run) == expected


def test_a_disk_that_fills_up_fails_the_run_with_a_sentence_and_loses_nothing(
    new_run: NewRun, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(seconds=0.6, seeds=3)
    begin(run)
    filler = fill(small_disk)
    kept = finished_cells(run)
    ended(run)
    assert run.status().state == "failed"
    assert run.status().message.startswith(FULL)
    assert finished_cells(run) == kept
    start(run.folder, jobs=1)  # resumed too early
    ended(run)
    assert run.status().message.startswith(FULL)
    assert finished_cells(run) == kept
    filler.unlink()
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("DIFFOCI_RUNS", str(tmp_path / "elsewhere"))
        expected = undisturbed(run)
    resumed_is_the_same(run, kept, expected)


def test_files_that_may_not_grow_fail_the_run_with_a_sentence_and_lose_nothing(new_run: NewRun) -> None:
    run = new_run(seconds=0.6, seeds=3)
    pid = begin(run)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (400, 400))  # as a quota would; everybody may, of their own process
    kept = finished_cells(run)
    ended(run)
    assert run.status().state == "failed"
    assert run.status().message.startswith(FULL)
    assert finished_cells(run) == kept
    resumed_is_the_same(run, kept, undisturbed(run))


def test_a_folder_that_becomes_read_only_interrupts_the_run_and_loses_nothing(
    new_run: NewRun, capsys: pytest.CaptureFixture[str]
) -> None:
    run = new_run(seconds=0.6, seeds=3)
    begin(run)
    with read_only(run.folder):
        kept = finished_cells(run)
        ended(run)
        assert run.status().state == "interrupted"
        assert main(["runs", "resume", str(run.folder)]) == 2
        said = capsys.readouterr().err
        assert said == (
            f"diffoci: The folder {run.folder} cannot be written to; make it writable and resume, "
            "or choose another folder.\n"
        )
    resumed_is_the_same(run, kept, undisturbed(run))


def test_a_read_only_audit_in_the_queue_says_why_it_does_not_start_and_holds_up_nobody(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    barred, free = new_run(), new_run()
    monkeypatch.setattr(queue, "start", lambda folder, jobs: start(folder, jobs=1))
    with contextlib.ExitStack() as barring:
        with free.lock():  # both wait
            queue.enqueue(barred)
            queue.enqueue(free)
            barring.enter_context(read_only(barred.folder))
        wait_until(lambda: free.status().state == "done")
        assert queue.standing(barred).state == "failed"
        assert "cannot be written to; make it writable" in queue.standing(barred).message
    queue.enqueue(barred)
    wait_until(lambda: queue.standing(barred).state == "done")


def test_a_folder_of_runs_that_is_read_only_is_a_sentence(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "cells").mkdir(parents=True)
    with read_only(root):
        assert main(["audit", "--data", "truth", "--jobs", "1"]) == 2
    said = capsys.readouterr().err
    assert said == (
        f"diffoci: The folder {root} cannot be written to; make it writable and resume, or choose another folder.\n"
    )

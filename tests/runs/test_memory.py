"""Memory: a run that does not fit is refused with the reason, one that nearly fits gets fewer processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from diffoci.runs import memory
from diffoci.runs.files import write_json
from diffoci.runs.run_files import PlanFile
from diffoci.runs.runner import execute
from diffoci.runs.store import Run

NewRun = Callable[..., Run]


def promise(run: Run) -> None:
    """Write a plan that asks others to leave it 5 GB."""
    write_json(run.plan_file, PlanFile(digest="", sha256="", memory=5e9, cells=()))


def test_as_many_processes_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "bytes_free", lambda: 1.2e9)
    assert memory.jobs_that_fit(0.5e9, 8) == 2
    assert memory.jobs_that_fit(0.5e9, 1) == 1


def test_a_run_that_does_not_fit_fails_with_the_reason(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "bytes_free", lambda: 2e8)
    run = new_run()
    with pytest.raises(ValueError, match=r"needs about 1\.0 GB of memory and 0\.2 GB are free"):
        execute(run)
    status = run.status()
    assert status.state == "failed"
    assert status.message.startswith("It needs about 1.0 GB")
    assert not run.plan_file.exists()  # it never began


@pytest.mark.parametrize(
    ("most", "free"), [("max", 8e9), ("3000000000", 2.5e9)], ids=["no limit", "a container's limit"]
)
def test_a_container_may_allow_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: str, free: float) -> None:
    (tmp_path / "memory.max").write_text(most + "\n")
    (tmp_path / "memory.current").write_text("1000000000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 500000000\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("M", (), {"available": 8e9})())
    assert memory.bytes_free() == free


def test_what_others_were_promised_a_moment_ago_is_not_free(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "bytes_free", lambda: 5.2e9)
    run = new_run()
    promise(run)
    assert memory.bytes_promised() == 0  # nobody works on it
    with run.lock():
        assert memory.bytes_promised() == 5e9
        assert memory.bytes_promised(but=run.folder) == 0
        with pytest.raises(ValueError, match=r"0\.2 GB are free"):
            memory.jobs_that_fit(0.5e9, 1)
        os.utime(run.plan_file, (0, 0))
        assert memory.bytes_promised() == 0  # by now it is in use, and not free anyway


def test_a_clock_set_back_keeps_no_memory_promised(new_run: NewRun) -> None:
    run = new_run()
    promise(run)
    os.utime(run.plan_file, (time.time() + 3600,) * 2)
    with run.lock():
        assert memory.bytes_promised() == 0

"""Memory: an audit that does not fit is refused with the reason, one that nearly fits gets fewer processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from diffoci.audit.engine import make_spec
from diffoci.data.sources import load
from diffoci.runs import memory
from diffoci.runs.runner import run_audit
from diffoci.runs.store import Run


def test_more_rows_and_levels_need_more() -> None:
    small, large = (memory.bytes_needed(load("truth", rows=rows)) for rows in (1000, 50_000))
    assert 450e6 < small < large < 1e9
    assert memory.bytes_needed(load("acs-income", twin=True, rows=20_000)) > memory.bytes_needed(
        load("student", twin=True)
    )


def test_numbers_cut_into_more_pieces_need_more() -> None:
    dataset = load("truth", rows=50_000)
    assert memory.bytes_needed(dataset, {"pieces": 1000}) > 10 * memory.bytes_needed(dataset, {"pieces": 0})


def test_as_many_processes_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load("student", twin=True)
    monkeypatch.setattr(memory, "bytes_free", lambda: 1.2e9)
    assert memory.jobs_that_fit(memory.bytes_needed(dataset), 8) == 2
    assert memory.jobs_that_fit(memory.bytes_needed(dataset), 1) == 1


def test_an_audit_that_does_not_fit_fails_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "bytes_free", lambda: 2e8)
    spec = make_spec("student", sensitive=["sex"], twin=True, preset="quick", methods=["standard"], seeds=1)
    run = Run.create(spec, folder=tmp_path / "run")
    with pytest.raises(ValueError, match=r"needs about 0\.5 GB of memory and 0\.2 GB are free"):
        run_audit(run)
    status = run.status()
    assert status.state == "failed"
    assert status.message.startswith("This audit needs about 0.5 GB")


@pytest.mark.parametrize(
    ("most", "free"), [("max", 8e9), ("3000000000", 2.5e9)], ids=["no limit", "a container's limit"]
)
def test_a_container_may_allow_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: str, free: float) -> None:
    (tmp_path / "memory.max").write_text(most + "\n")
    (tmp_path / "memory.current").write_text("1000000000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 500000000\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(memory.psutil, "virtual_memory", lambda: type("M", (), {"available": 8e9})())
    assert memory.bytes_free() == free


def test_what_others_were_promised_a_moment_ago_is_not_free(
    new_run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "bytes_free", lambda: 5.2e9)
    dataset, run = load("student", twin=True), new_run()
    run.plan_file.write_text('{"memory": 5e9}')
    assert memory.bytes_promised() == 0  # nobody works on it
    with run.lock():
        assert memory.bytes_promised() == 5e9
        assert memory.bytes_promised(but=run.folder) == 0
        with pytest.raises(ValueError, match=r"0\.2 GB are free"):
            memory.jobs_that_fit(memory.bytes_needed(dataset), 1)
        os.utime(run.plan_file, (0, 0))
        assert memory.bytes_promised() == 0  # by now it is in use, and not free anyway


def test_a_clock_set_back_keeps_no_memory_promised(new_run: Callable[..., Run]) -> None:
    run = new_run()
    run.plan_file.write_text('{"memory": 5e9}')
    os.utime(run.plan_file, (time.time() + 3600,) * 2)
    with run.lock():
        assert memory.bytes_promised() == 0

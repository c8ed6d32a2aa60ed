"""Runs of the fake engine, in a folder of their own, with processes that find it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diffoci.runs.runner import Means, run_audit
from diffoci.runs.store import Run
from tests.runs import fake_engine

FAKE = "tests.runs.fake_engine"
HERE = Means(jobs=1, engine=FAKE)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tests away from the user's runs, and let other processes import the fake engine."""
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return tmp_path / "runs"


@pytest.fixture
def new_run() -> Iterator[Callable[..., Run]]:
    """Make runs of the fake engine; whatever still runs at the end is stopped."""
    made: list[Run] = []

    def make(*, seeds: int = 2, **settings: Any) -> Run:
        made.append(Run.create(fake_engine.make_spec("truth", sensitive=None, seeds=seeds, settings=settings)))
        return made[-1]

    yield make
    for run in made:
        if run.is_running():
            run.cancel()
            wait_until(lambda run=run: not run.is_running())


def numbers(run: Run) -> dict[str, Any]:
    """What must not depend on how a result was come by."""
    result = run.result()
    return {key: result[key] for key in ("methods", "failures")}


def undisturbed(run: Run) -> dict[str, Any]:
    """The numbers of the same audit, run in one go in this process."""
    twin = Run.create(replace(run.spec, settings={"seconds": 0.0}))
    assert run_audit(twin, HERE).state == "done"
    return numbers(twin)


def wait_until(true: Callable[[], Any], *, seconds: float = 30.0) -> float:
    """Wait for something to happen and return how long that took."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - begun


def is_alive(pid: int) -> bool:
    """Say whether a process still computes (a zombie does not)."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()

"""Runs of the fake study, in a folder of their own, with processes that find it as a plug-in."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from diffoci import plugins
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run

PLUGIN = Path(__file__).parent / "fake_study"
PATH = os.pathsep.join((str(Path(__file__).parents[2]), str(PLUGIN)))  # for processes that a test starts
HERE = Means(jobs=1)

sys.path.append(str(PLUGIN))
plugins.names.cache_clear()
plugins.load.cache_clear()

from fake_study import FAKE as FAKE  # noqa: E402
from fake_study import FakeSpec as FakeSpec  # noqa: E402
from fake_study import Numbers as Numbers  # noqa: E402


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tests away from the user's runs, and let other processes find the fake study."""
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("PYTHONPATH", PATH)
    return tmp_path / "runs"


@pytest.fixture
def new_run() -> Iterator[Callable[..., Run]]:
    """Make runs of the fake study; whatever still runs at the end is stopped."""
    made: list[Run] = []

    def make(*, folder: Path | None = None, **settings: Any) -> Run:
        made.append(Run.create(FAKE, FakeSpec(**settings), folder=folder))
        return made[-1]

    yield make
    for run in made:
        if run.is_running():
            run.cancel()
            wait_until(partial(_has_ended, run))


def numbers(run: Run) -> dict[str, Any]:
    """What must not depend on how a result was come by."""
    result = run.result()
    return {"methods": result.methods, "failures": result.failures}


def undisturbed(run: Run) -> dict[str, Any]:
    """The numbers of the same run, done in one go in this process."""
    calm = replace(run.spec, seconds=0.0, loading=0.0, failing=(), deaf=(), dying=())
    twin = Run.create(FAKE, calm)
    assert execute(twin, HERE).state == "done"
    return numbers(twin)


def _has_ended(run: Run) -> bool:
    return not run.is_running()


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

"""Ids, states and locks of run directories."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from diffoci.runs.lock import AlreadyRunning
from diffoci.runs.progress import read_progress
from diffoci.runs.runner import run_audit
from diffoci.runs.store import Run, list_runs, run_with_id
from tests.runs.conftest import HERE

NewRun = Callable[..., Run]


def test_a_new_run_waits_and_is_found_by_its_id(new_run: NewRun, root: Path) -> None:
    run = new_run()
    assert run.folder == root.resolve() / run.id
    assert run.status().state == "waiting"
    assert run_with_id(run.id) == run
    assert read_progress(run.folder).cells == ()


@pytest.mark.parametrize("name", ["..", "../etc", "0" * 31, "A" * 32, "0" * 32 + "\n", "g" * 32, "", "0" * 32 + "/.."])
def test_an_id_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the id of an audit"):
        run_with_id(name)


def test_an_id_that_does_not_exist_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="There is no audit"):
        run_with_id("0" * 32)


def test_runs_are_listed_newest_first_and_a_damaged_one_hides_no_other(new_run: NewRun, root: Path) -> None:
    first, second, broken = new_run(), new_run(), new_run()
    (broken.folder / "spec.json").write_text("{")
    (root / "stranger").mkdir()
    assert [run.id for run in list_runs()] == [second.id, first.id]


def test_a_run_of_another_version_is_a_sentence(new_run: NewRun) -> None:
    run = new_run()
    content = json.loads((run.folder / "spec.json").read_text())
    (run.folder / "spec.json").write_text(json.dumps({**content, "schema": 99}))
    with pytest.raises(ValueError, match="another version"):
        Run.open(run.folder)


def test_running_on_disk_counts_only_while_the_lock_is_held(new_run: NewRun) -> None:
    run = new_run()
    with run.lock():
        run.record("running")
        assert run.status().state == "running"
    assert run.status().state == "interrupted"
    run.cancel()
    assert run.status().state == "cancelled"


def test_a_second_process_is_told_that_it_runs(new_run: NewRun) -> None:
    run = new_run()
    with run.lock(), pytest.raises(AlreadyRunning, match="already running"):
        run_audit(run, HERE)
    assert run_audit(run, HERE).state == "done"


def test_looking_at_a_run_does_not_keep_it_from_starting(new_run: NewRun) -> None:
    run = new_run()
    for _ in range(200):
        assert not run.is_running()
        run.lock().close()


def test_a_run_without_result_says_so(new_run: NewRun) -> None:
    with pytest.raises(ValueError, match="it is waiting"):
        new_run().result()

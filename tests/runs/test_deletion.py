"""Runs are deleted whole, by hand or by age; none that goes on or waits."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.runs import files, queue
from diffoci.runs.deletion import GoesOn, deletable_runs, delete_run, finish_deleting
from diffoci.runs.runner import execute
from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run, list_runs
from tests.runs.conftest import HERE

NewRun = Callable[..., Run]
DAY = 86_400


def aged(run: Run, days: float) -> Run:
    """Make a run look as if nobody had worked on it for so long."""
    for path in run.folder.rglob("*"):
        os.utime(path, (time.time() - days * DAY,) * 2)
    return run


@pytest.fixture
def queued(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run that waits for its turn."""
    monkeypatch.setattr(queue, "advance", lambda: None)
    run = new_run()
    queue.enqueue(run)
    return run


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err.strip()


def test_a_deleted_run_is_gone_with_everything_in_it(
    new_run: NewRun, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, other = new_run(), new_run()
    execute(run, HERE)
    assert main(["runs", "delete", run.id]) == 0
    assert capsys.readouterr().out.startswith(f"Deleted: {run.id}  Fake study")
    assert [one.name for one in root.iterdir()] == [other.id]
    assert refused(capsys, "runs", "delete", run.id).startswith(f"diffoci: There is no run {run.id}")


def test_a_running_run_is_refused_until_it_is_cancelled(
    new_run: NewRun, capsys: pytest.CaptureFixture[str], root: Path
) -> None:
    run, other = new_run(), new_run()
    with run.lock():
        run.record("running")
        said = refused(capsys, "runs", "delete", other.id, run.id)
        assert said == f"diffoci: The run {run.id} is running; cancel it before you delete it."
        assert {one.id for one in list_runs()} == {run.id, other.id}  # refused before anything was deleted
    run.cancel()
    assert main(["runs", "delete", run.id, other.id]) == 0
    assert list(root.iterdir()) == []


def test_a_waiting_run_is_refused_until_it_leaves_the_queue(queued: Run) -> None:
    with pytest.raises(GoesOn, match=r"is waiting for its turn; cancel it before you delete it\.$"):
        delete_run(queued.folder)
    queue.withdraw(queued)
    delete_run(queued.folder)
    assert list_runs() == ()


def test_a_damaged_run_can_be_deleted_by_its_id(new_run: NewRun, root: Path) -> None:
    run = new_run()
    (run.folder / "spec.json").write_text("{")
    (run.folder / "cells" / ".half.npz.x.part").write_bytes(b"rows")
    assert main(["runs", "delete", run.id]) == 0
    assert list(root.iterdir()) == []


def test_what_else_lies_in_a_folder_of_one_s_own_stays(new_run: NewRun, tmp_path: Path) -> None:
    mine, empty = tmp_path / "mine", tmp_path / "empty"
    for folder in (mine, empty):
        execute(new_run(folder=folder), HERE)
    (mine / "thesis.txt").write_text("mine")
    assert main(["runs", "delete", str(mine), str(empty)]) == 0
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]
    assert not empty.exists()


def test_a_folder_that_holds_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "photos").mkdir()
    assert "neither an id nor a run directory" in refused(capsys, "runs", "delete", str(tmp_path / "photos"))
    assert (tmp_path / "photos").is_dir()


def test_purging_deletes_what_nobody_worked_on_for_long(
    new_run: NewRun, queued: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    old, young, running = aged(new_run(), 31), aged(new_run(), 29), aged(new_run(), 99)
    aged(queued, 99)
    with running.lock():
        assert main(["runs", "purge", "--older-than", "30d", "--dry-run"]) == 0
        assert capsys.readouterr().out.startswith(f"Would be deleted: {old.id}  ")
        assert len(list_runs()) == 4
        assert main(["runs", "purge", "--older-than", "30d"]) == 0
        assert capsys.readouterr().out.startswith(f"Deleted: {old.id}  ")
        assert {run.id for run in list_runs()} == {young.id, running.id, queued.id}
        assert main(["runs", "purge", "--older-than", "30d"]) == 0
        assert capsys.readouterr().out == "There is no run that nobody worked on for 30d.\n"
    assert "'a month' is not an age" in refused(capsys, "runs", "purge", "--older-than", "a month")


def test_an_old_audit_from_elsewhere_is_as_old_as_its_opening(new_run: NewRun, tmp_path: Path) -> None:
    run = new_run()
    execute(run, HERE)
    content = json.loads((run.folder / "spec.json").read_text())
    (run.folder / "spec.json").write_text(json.dumps({**content, "created": 1.0}))
    (tmp_path / "shared.zip").write_bytes(pack(Run.open(run.folder)))
    delete_run(run.folder)
    with (tmp_path / "shared.zip").open("rb") as file:
        assert open_shared(file).created == 1.0
    assert deletable_runs(older_than=DAY) == ()


def test_looking_at_an_old_run_does_not_make_it_young(new_run: NewRun) -> None:
    run = aged(new_run(), 31)
    (run.folder / "headline.json").write_text("{}")
    run.is_running()
    run.lock().close()
    assert deletable_runs(older_than=30 * DAY) == (run.folder,)


def test_what_was_half_deleted_when_the_server_was_killed_is_deleted_later(
    new_run: NewRun, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            delete_run(run.folder)
    assert list_runs() == ()
    (left,) = root.iterdir()
    finish_deleting()
    assert left.exists()  # somebody may be at it
    monkeypatch.setattr(files, "_DELETING_SECONDS", -1.0)
    finish_deleting()
    assert list(root.iterdir()) == []

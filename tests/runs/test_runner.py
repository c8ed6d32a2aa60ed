"""What a run keeps, resumes and reports, seen from one process."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffoci.runs import runner
from diffoci.runs.progress import read_history, read_progress
from diffoci.runs.progress.channel import EVERY, Reporter
from diffoci.runs.progress.records import read_records
from diffoci.runs.runner import execute
from diffoci.runs.store import Run, Status
from diffoci.runs.study import Cell, CellOutput, Watch
from tests.runs.conftest import FAKE, HERE, FakeSpec, Numbers, numbers, undisturbed, wait_until

NewRun = Callable[..., Run]


@dataclass(frozen=True)
class Weighted(Numbers):
    """The same number, which counts for something else."""

    weight: int = 1


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the cells as they are computed."""
    names: list[str] = []
    original = FAKE.run_cell

    def noted(spec: Any, data: Any, cell: Cell, watch: Watch) -> CellOutput:
        names.append(cell.id)
        return original(spec, data, cell, watch)

    monkeypatch.setattr(FAKE, "run_cell", noted)
    return names


def test_the_result_says_what_made_it(new_run: NewRun) -> None:
    run = new_run()
    assert execute(run, HERE).state == "done"
    result = run.result()
    assert (result.schema, result.id, result.study) == (1, run.id, "fake")
    assert (result.device, result.seconds > 0) == ("cpu", True)
    assert result.versions["torch"]
    assert result.undefined is None
    assert "NaN" not in run.result_file.read_text()


def test_cells_start_in_the_order_of_the_plan(new_run: NewRun, computed: list[str]) -> None:
    execute(new_run(), HERE)
    assert computed == ["methods-standard-0", "methods-standard-1", "methods-dF3-0", "methods-dF3-1"]


def test_resuming_a_finished_run_computes_nothing(new_run: NewRun, computed: list[str]) -> None:
    run = new_run()
    execute(run, HERE)
    before = run.result_file.read_bytes()
    computed.clear()
    assert execute(run, HERE).state == "done"
    assert computed == []
    assert run.result_file.read_bytes() == before


def test_resuming_computes_only_what_is_missing_and_gives_the_same_numbers(
    new_run: NewRun, computed: list[str]
) -> None:
    run = new_run()
    execute(run, HERE)
    whole = numbers(run)
    (run.cells / "methods-dF3-1.json").unlink()
    computed.clear()
    execute(run, HERE)
    assert computed == ["methods-dF3-1"]
    assert numbers(run) == whole


def test_a_failing_cell_is_kept_with_its_message_and_the_audit_ends(new_run: NewRun) -> None:
    run = new_run(failing=["methods-dF3-1"])
    status = execute(run, HERE)
    assert status.state == "done"
    assert "1 of 4 parts failed" in status.message
    assert run.result().failures == {"methods-dF3-1": "The loss of dF3 was not a number in epoch 3; lower lr."}
    failed = [cell for cell in read_progress(run.folder).cells if cell.state == "failed"]
    assert [(cell.id, cell.message) for cell in failed] == list(run.result().failures.items())


def test_a_failed_cell_is_tried_again_when_resumed(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run()
    original = FAKE.run_cell

    def unlucky(spec: Any, data: Any, cell: Cell, watch: Watch) -> CellOutput:
        if cell.id == "methods-dF3-1":
            raise MemoryError("too big")
        return original(spec, data, cell, watch)

    with monkeypatch.context() as patch:
        patch.setattr(FAKE, "run_cell", unlucky)
        execute(run, HERE)
    assert list(run.result().failures) == ["methods-dF3-1"]
    assert run.result().failures["methods-dF3-1"].startswith("Memory ran out")
    assert execute(run, HERE).message == ""
    assert numbers(run) == undisturbed(run)


def test_a_run_with_nothing_usable_has_failed_with_the_reason(new_run: NewRun) -> None:
    run = new_run(seeds=1, failing=["methods-standard-0", "methods-dF3-0"])
    assert execute(run, HERE).state == "failed"
    assert "lower lr" in run.status().message
    assert not run.result_file.exists()


def test_cells_that_are_not_needed_may_all_fail_and_needed_ones_may_not(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = FAKE.plan
    monkeypatch.setattr(FAKE, "plan", lambda *of: [replace(cell, needed=cell.method == "dF3") for cell in plan(*of)])
    beside, needed = ([f"methods-{method}-{seed}" for seed in (0, 1)] for method in ("standard", "dF3"))
    assert execute(new_run(failing=beside), HERE).state == "done"
    failed = execute(new_run(failing=needed), HERE)
    assert (failed.state, failed.message) == ("failed", "The loss of dF3 was not a number in epoch 3; lower lr.")


def test_data_that_cannot_be_loaded_fail_the_run_with_their_sentence(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: Any) -> None:
        raise ValueError("There is no file x.csv; check the name.")

    monkeypatch.setattr(FAKE, "load", absent)
    run = new_run()
    with pytest.raises(ValueError, match=r"no file x\.csv"):
        execute(run, HERE)
    assert run.status() == Status("failed", "There is no file x.csv; check the name.")


def test_data_that_changed_under_a_run_are_refused(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run()
    execute(run, HERE)
    before = run.result_file.read_bytes()
    other = FAKE.load(FakeSpec(data=5))
    monkeypatch.setattr(FAKE, "load", lambda _: other)
    with pytest.raises(ValueError, match="data changed since"):
        execute(run, HERE)
    assert run.result_file.read_bytes() == before
    assert run.status().state == "done"
    assert "going on failed: The data changed since" in run.status().message


def test_a_result_stays_until_the_next_one_is_there(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run()
    execute(run, HERE)
    before = run.result_file.read_bytes()
    (run.cells / "methods-dF3-1.json").unlink()  # as after an update of the packages

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FAKE, "run_cell", stopped)
    with pytest.raises(KeyboardInterrupt):
        execute(run, HERE)
    assert run.result_file.read_bytes() == before
    assert run.status().state == "interrupted"


def test_a_full_disk_fails_the_run_with_a_sentence_and_it_resumes(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run()

    def full(*_: Any) -> None:
        raise OSError("The disk is full: c.json could not be written. Free some space and resume.")

    with monkeypatch.context() as patch:
        patch.setattr(runner, "save_cell", full)
        with pytest.raises(OSError, match="disk is full"):
            execute(run, HERE)
    assert run.status().state == "failed"
    assert execute(run, HERE).state == "done"
    assert numbers(run) == undisturbed(run)


@pytest.mark.alone
def test_cancelling_stops_in_the_middle_of_a_cell_and_resuming_ends_the_same(new_run: NewRun) -> None:
    run = new_run(seconds=0.5)
    asked_at: list[float] = []

    def cancel_after_the_first_cell() -> None:
        wait_until((run.cells / "methods-standard-0.json").exists)
        time.sleep(0.2)
        run.cancel()
        asked_at.append(time.monotonic())

    thread = threading.Thread(target=cancel_after_the_first_cell)
    thread.start()
    assert execute(run, HERE).state == "cancelled"
    thread.join()
    assert time.monotonic() - asked_at[0] < 1.0
    assert run.status().state == "cancelled"
    states = [cell.state for cell in read_progress(run.folder).cells]
    assert "done" in states
    assert "waiting" in states
    run.uncancel()
    assert execute(run, HERE).state == "done"
    assert numbers(run) == undisturbed(run)


def test_a_run_cancelled_before_it_starts_does_nothing(new_run: NewRun, computed: list[str]) -> None:
    run = new_run()
    run.cancel()
    assert run.status().state == "cancelled"
    assert execute(run, HERE).state == "cancelled"
    assert computed == []


def test_progress_lines_say_where_the_run_is(new_run: NewRun) -> None:
    run = new_run(seconds=0.6)
    execute(run, HERE)
    lines = read_records(run.progress_file)
    assert all({"time", "stage", "overall", "eta", "elapsed"} <= set(line) for line in lines)
    of_cells = [line for line in lines if "cell" in line and "epoch" in line]
    assert all(
        {"method", "seed", "cell", "epoch", "fraction", "loss", "T_validation"} <= set(line) for line in of_cells
    )
    assert not any("theta" in line for line in lines)
    overall = [line["overall"] for line in lines]
    assert overall == sorted(overall)
    assert overall[-1] == 1.0
    assert any(line["eta"] for line in lines)
    assert max(np.diff([line["time"] for line in lines])) < 2.0
    assert len(lines) < 40


def test_progress_goes_on_while_a_cell_is_silent(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run(seeds=1)
    original = FAKE.run_cell

    def silent(spec: Any, data: Any, cell: Cell, watch: Watch) -> CellOutput:
        if cell.method == "dF3":
            time.sleep(2.5)
        return original(spec, data, cell, watch)

    monkeypatch.setattr(FAKE, "run_cell", silent)
    execute(run, HERE)
    assert max(np.diff([line["time"] for line in read_records(run.progress_file)])) < 2.0


def test_the_history_of_a_cell_has_its_epochs_and_theta(new_run: NewRun) -> None:
    run = new_run(seconds=0.7, seeds=1)
    execute(run, HERE)
    history = read_history(run.folder, "methods-dF3-0")
    assert [record["epoch"] for record in history] == sorted(record["epoch"] for record in history)
    assert history[-1]["epoch"] == 19
    assert len(history[-1]["theta"]) == 20
    assert read_progress(run.folder).cells[1].last["epoch"] == 19
    assert (run.cells / "methods-dF3-0.history.jsonl").stat().st_size < 20_000


def test_many_reports_become_few_lines() -> None:
    lots: list[list[dict[str, Any]]] = []
    reporter = Reporter(lots.append)
    begun = time.monotonic()
    while time.monotonic() - begun < 1.0:
        reporter({"epoch": len(lots), "theta": [1.0], "loss": 1 / 3})
        reporter({"epoch": len(lots) + 1000, "theta": np.ones(3), "loss": np.float32(1 / 3)})
    reporter.flush()
    assert len(lots) <= (time.monotonic() - begun) / EVERY + 2  # the first goes out at once, the last is flushed
    assert all(len(lot) <= 10 for lot in lots)
    assert all("theta" not in record for lot in lots for record in lot[:-1])
    assert all("theta" in lot[-1] for lot in lots)
    assert lots[1][-1]["loss"] == 0.333333


def test_progress_is_read_from_a_torn_file(new_run: NewRun) -> None:
    run = new_run()
    execute(run, HERE)
    with run.progress_file.open("ab") as file:
        file.write(b'{"stage": "cells", "overall": 0.')
    with (run.cells / "methods-dF3-0.history.jsonl").open("ab") as file:
        file.write(b'{"epoch": 2')
    progress = read_progress(run.folder)
    assert (progress.state, progress.fraction, progress.stage) == ("done", 1.0, "done")
    assert progress.cells[0].state == "done"


def test_two_specifications_of_the_same_name_are_a_mistake(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FAKE, "plan", lambda *_: (Cell("a", "methods", "m", 0), Cell("a", "methods", "m", 1)))
    with pytest.raises(ValueError, match="same name"):
        execute(new_run(), HERE)


def test_the_plan_names_every_cell(new_run: NewRun) -> None:
    run = new_run()
    execute(run, HERE)
    plan = json.loads(run.plan_file.read_text())
    assert [cell["title"] for cell in plan["cells"]] == ["standard", "standard", "dF3", "dF3"]
    assert [cell["id"] for cell in plan["cells"]] == [cell.id for cell in read_progress(run.folder).cells]
    assert plan["digest"] == run.spec.digest()


def test_nothing_in_a_run_directory_is_a_pickle(new_run: NewRun) -> None:
    run = new_run()
    execute(run, HERE)
    kinds = {path.suffix for path in Path(run.folder).rglob("*") if path.is_file()}
    assert kinds <= {".json", ".jsonl", ".npz", ".safetensors", ""}


def test_a_second_run_in_one_process_reads_its_own_data(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal values may be read otherwise: as ordered levels, or with weights."""
    loaded: list[Any] = []

    def load(spec: FakeSpec) -> Any:
        loaded.append(Weighted(spec.data, weight=len(loaded)))
        return loaded[-1]

    read: list[Any] = []
    original = FAKE.run_cell

    def run_cell(spec: FakeSpec, data: Any, cell: Cell, watch: Watch) -> CellOutput:
        read.append(data)
        return original(spec, data, cell, watch)

    monkeypatch.setattr(FAKE, "load", load)
    monkeypatch.setattr(FAKE, "run_cell", run_cell)
    for _ in range(2):
        assert execute(new_run(methods=("standard",), seeds=2, seconds=0.0), HERE).state == "done"
    assert [data.weight for data in read] == [0, 0, 1, 1]

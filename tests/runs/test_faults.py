"""What goes wrong inside one process: memory of a graphics card, half a result, a clock that jumps."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from diffoci.runs.progress import read_progress
from diffoci.runs.progress.records import read_records
from diffoci.runs.runner import execute
from diffoci.runs.store import Run, list_runs
from diffoci.runs.study import Cell, CellOutput, Watch
from tests.runs.conftest import FAKE, HERE, numbers, undisturbed

NewRun = Callable[..., Run]


def interfere(monkeypatch: pytest.MonkeyPatch, cell_id: str, what: Callable[[], Any]) -> None:
    """Let something happen when a cell is computed."""
    original = FAKE.run_cell

    def run_cell(spec: Any, data: Any, cell: Cell, watch: Watch) -> CellOutput:
        if cell.id == cell_id:
            what()
        return original(spec, data, cell, watch)

    monkeypatch.setattr(FAKE, "run_cell", run_cell)


def cell_files(run: Run) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in run.cells.glob("*.json") if "failed" not in path.name}


def test_a_graphics_card_without_memory_costs_one_cell_and_says_what_to_do(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has 7.79 GiB in total.")

    run = new_run()
    with monkeypatch.context() as patch:
        interfere(patch, "methods-standard-1", full)
        status = execute(run, HERE)
    assert (status.state, status.message) == ("done", "1 of 4 parts failed; the result says which.")
    (failure,) = run.result().failures.values()
    assert failure.startswith("Memory ran out; lower the batch size")
    assert "CUDA" not in failure
    kept = cell_files(run)
    assert len(kept) == 3
    assert execute(run, HERE).message == ""
    assert kept.items() <= cell_files(run).items()
    assert numbers(run) == undisturbed(run)


def test_an_error_nobody_wrote_for_readers_is_still_a_sentence(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run()
    interfere(monkeypatch, "methods-dF3-0", lambda: dict[str, int]()["<missing>\nline"])
    execute(run, HERE)
    (failure,) = run.result().failures.values()
    assert failure.startswith("Something unexpected stopped it (KeyError: ")
    assert failure.endswith("the log says more.")
    assert "\n" not in failure


@pytest.mark.parametrize("keep", [0, 1, 100, -2, -4])
def test_half_a_result_is_said_and_put_together_again_from_the_cells(new_run: NewRun, keep: int) -> None:
    run = new_run()
    execute(run, HERE)
    whole, cells = numbers(run), cell_files(run)
    run.result_file.write_bytes(run.result_file.read_bytes()[:keep])
    assert run.status().state == "failed"
    assert "half written" in run.status().message
    with pytest.raises(ValueError, match="half written"):
        run.result()
    assert execute(run, HERE).state == "done"
    assert run.status().state == "done"
    assert numbers(run) == whole
    assert cell_files(run) == cells


def test_a_torn_state_is_an_interruption(new_run: NewRun) -> None:
    run = new_run()
    execute(run, HERE)
    whole = numbers(run)
    (run.folder / "state.json").write_bytes(b'{"schema": 1, "sta')
    assert run.status().state == "interrupted"
    assert read_progress(run.folder).since == 0.0
    assert execute(run, HERE).state == "done"
    assert numbers(run) == whole


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_clock_that_is_set_in_the_middle_breaks_nothing(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    before, run = new_run(), new_run(seconds=0.6, seeds=3)
    true_time = time.time

    def set_clock() -> None:
        monkeypatch.setattr(time, "time", lambda: true_time() + 3600 * hours)

    interfere(monkeypatch, "methods-standard-2", set_clock)
    assert execute(run, HERE).state == "done"
    lines = read_records(run.progress_file)
    moments = [line["time"] for line in lines]
    assert max(abs(later - earlier) for earlier, later in itertools.pairwise(moments)) > 3000
    overall, elapsed = [line["overall"] for line in lines], [line["elapsed"] for line in lines]
    assert overall == sorted(overall)
    assert elapsed == sorted(elapsed)
    assert 0 < elapsed[-1] < 30
    assert all(0 <= line["eta"] < 60 for line in lines if line["eta"] is not None)
    assert 0 < run.result().seconds < 30
    assert numbers(run) == undisturbed(run)
    assert {before.id, run.id} <= {one.id for one in list_runs()}


def test_the_page_counts_with_the_worker_where_the_clock_was_set(new_run: NewRun, root: Path) -> None:
    from diffoci.ui.runs.live import seconds_so_far
    from diffoci.ui.words import ago, clock

    run = new_run(seconds=0.4)
    execute(run, HERE)
    progress = read_progress(run.folder)
    assert seconds_so_far(progress, now=progress.since + 3) == pytest.approx(3)
    for change in (-7200, 7200):
        assert seconds_so_far(progress, now=progress.since + change) == progress.elapsed > 0
    assert clock(-5.0) == "0:00"
    assert ago(run.created, now=run.created - 7200) == "just now"

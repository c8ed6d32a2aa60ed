"""What may stand in the place of a run's files: a pipe, a folder, nothing; a sentence or the way on, never a wait."""

from __future__ import annotations

import io
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.runs.progress import read_history, read_progress
from diffoci.runs.progress.records import read_records
from diffoci.runs.runner import execute
from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run, list_runs
from tests.runs.conftest import HERE, numbers
from tests.sample_audit import sample

FILES = ("spec.json", "state.json", "plan.json", "result.json", "progress.jsonl", "lock", "headline.json")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    folder = tmp_path / "runs" / sample().id
    shutil.copytree(sample().folder, folder)
    return Run.open(folder)


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < 20


def put_in_place(path: Path, what: str) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()


@pytest.mark.parametrize("what", ["pipe", "folder"])
@pytest.mark.parametrize("name", [*FILES, "cells/dF3.0.json", "cells/dF3.0.history.jsonl", "cells/dF3.0.npz"])
def test_item_10_a_pipe_or_a_folder_in_place_of_a_file_holds_nothing_up(
    run: Run, name: str, what: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    put_in_place(run.folder / name, what)
    list_runs()
    for command in (["runs", "list"], ["runs", "show"], ["share"]):
        out = ["--out", str(tmp_path / command[0])] if command == ["share"] else []
        which = [] if command == ["runs", "list"] else [str(run.folder)]
        code = main([*command, *which, *out])
        said = capsys.readouterr().err
        assert code in (0, 2)
        assert "Errno" not in said
        assert "Traceback" not in said
        assert said.count("\n") == (code == 2)


def test_item_10_a_run_without_its_cells_is_resumed(new_run: Callable[..., Run]) -> None:
    run = new_run()
    assert execute(run, HERE).state == "done"
    found = numbers(run)
    shutil.rmtree(run.cells)
    run.result_file.unlink()
    assert execute(run, HERE).state == "done"
    assert numbers(run) == found


def test_item_10_a_run_without_its_cells_is_shared_and_opened(run: Run) -> None:
    shutil.rmtree(run.cells)
    content = pack(run)
    shutil.rmtree(run.folder)
    assert open_shared(io.BytesIO(content)).result() == sample().result()


HOSTILE_LINES = [
    "[" * 200_000,
    '{"a":' * 100_000,
    "[]",
    "7",
    '{"stage": ["x"], "overall": "x", "eta": {}, "elapsed": [], "time": "x", "cell": 7, "state": {}}',
    '{"stage": "cells", "overall": NaN, "eta": Infinity, "elapsed": -1e999, "time": 1e300, "epoch": "1"}',
    '{"epoch": 1e400, "theta": ["x"], "T": [1], "loss": {}, "cutoff": true}',
    '{"epoch": 2, "theta": [1.0, 2.0], "T": null, "cutoff": 0.1}',
    '{"epoch": 3, "theta": [1.0], "fraction": 1e99, "overall": -1e99, "cutoff": 0.1}',
    '{"overall": ' + "9" * 5000 + "}",
]


def test_item_7_a_line_of_brackets_and_worse_is_passed_over(run: Run) -> None:
    """Its neighbours are read; whatever is told of a number that is none is left out."""
    path = run.cells / "dF3.0.history.jsonl"
    for file in (path, run.progress_file):
        file.write_text("\n".join([*HOSTILE_LINES, '{"epoch": 4, "stage": "result", "T": 0.5}', ""]))
    assert read_records(path)[-1] == {"epoch": 4, "stage": "result", "T": 0.5}
    assert [line["epoch"] for line in read_history(run.folder, "dF3.0") if "epoch" in line] == [2, 3, 4]
    progress = read_progress(run.folder)
    assert (progress.stage, progress.elapsed) == ("result", 0.0)
    assert json.dumps(progress.cells[0].last, allow_nan=False)

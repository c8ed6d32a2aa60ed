"""Runs in processes of their own: killed, cancelled, orphaned, started twice, waiting for each other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs._cell_process import Task
from diffoci.runs._pool import _Workers, in_processes
from diffoci.runs.cell_files import history_file
from diffoci.runs.files import read_json
from diffoci.runs.launch import start
from diffoci.runs.lock import AlreadyRunning
from diffoci.runs.progress import read_progress
from diffoci.runs.progress.channel import FolderChannel
from diffoci.runs.progress.records import read_records
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from diffoci.runs.study import Cell
from tests.runs.conftest import FAKE, HERE, is_alive, numbers, undisturbed, wait_until

NewRun = Callable[..., Run]
SHORT: dict[str, list[float]] = {"curve": []}
RESUME = [sys.executable, "-m", "diffoci", "runs", "resume"]


def done_cells(run: Run) -> list[str]:
    return [cell.id for cell in read_progress(run.folder).cells if cell.state == "done"]


def processes_of_cells(run: Run) -> set[int]:
    return {line["pid"] for line in read_records(run.progress_file) if "pid" in line}


def processes_below(pid: int) -> set[int]:
    return {child.pid for child in psutil.Process(pid).children(recursive=True)}


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # concept-erasure, when imported
def test_a_killed_run_is_seen_and_continues_where_it_was_with_the_same_numbers() -> None:
    spec = make_spec(
        "student", sensitive=["sex"], preset="quick", seeds=1, twin=True, methods=["standard", "dF3"], settings=SHORT
    )
    run, undisturbed = Run.create(AUDIT, spec), Run.create(AUDIT, spec)
    pid = start(run.folder, jobs=2)
    assert run.status().state == "running"
    with pytest.raises(AlreadyRunning):  # the second of two tabs
        start(run.folder, jobs=2)
    wait_until(lambda: done_cells(run), seconds=180)
    children = processes_below(pid)
    assert len(children) >= 3  # two that compute, and the one they are forked from
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: run.status().state == "interrupted", seconds=3)
    wait_until(lambda: not any(map(is_alive, children)))  # of low priority: on a busy machine even ending takes a while
    kept = {name: (run.cells / f"{name}.json").stat().st_mtime_ns for name in done_cells(run)}
    assert 1 <= len(kept) < 5
    for one in (run, undisturbed):
        assert execute(one, Means(jobs=1)).state == "done"
    assert {name: (run.cells / f"{name}.json").stat().st_mtime_ns for name in kept} == kept
    killed, whole = (read_json(one.result_file) for one in (run, undisturbed))
    for result in (killed, whole):
        assert result["failures"] == {}
        del result["id"], result["provenance"]["seconds"]
    assert killed == whole


@pytest.mark.alone
def test_cancel_takes_effect_in_three_seconds_even_in_cells_that_do_not_listen(new_run: NewRun) -> None:
    run = new_run(seconds=60, seeds=1, deaf=["methods-dF3-0"])
    start(run.folder, jobs=2)
    wait_until(lambda: len(processes_of_cells(run)) == 2)
    ours = os.getpriority(os.PRIO_PROCESS, 0)  # pages come first: a larger number is a lower priority
    for pid in processes_of_cells(run):
        assert os.getpriority(os.PRIO_PROCESS, pid) > ours
        if (group := Path(f"/proc/{pid}/autogroup")).exists():  # by which Linux shares out cores among sessions
            assert group.read_text().endswith("nice 10\n")
    run.cancel()
    assert wait_until(lambda: run.status().state == "cancelled") < 3.0
    assert wait_until(lambda: not any(map(is_alive, processes_of_cells(run)))) < 3.0


@pytest.mark.alone
def test_cancel_takes_effect_in_three_seconds_while_data_are_loaded(new_run: NewRun) -> None:
    run = new_run(loading=60)
    start(run.folder, jobs=1)
    wait_until(run.progress_file.exists)
    run.cancel()
    assert wait_until(lambda: run.status().state == "cancelled") < 3.0


def test_a_killed_command_leaves_a_run_that_was_interrupted(new_run: NewRun) -> None:
    run = new_run(seconds=1.5)
    process = subprocess.Popen([*RESUME, str(run.folder), "--jobs", "1"])
    wait_until(lambda: done_cells(run))
    process.kill()
    process.wait()
    assert run.status().state == "interrupted"


@pytest.mark.alone
def test_an_audit_of_a_sweep_is_cancelled_in_three_seconds_and_the_next_one_runs(tmp_path: Path) -> None:
    sweep, out = tmp_path / "sweep.toml", tmp_path / "out"
    deaf = "exact_rows = 20000\npermutations = 100000"  # far longer than a minute, and nobody can be told to stop
    few = "exact_rows = 100\npermutations = 1\nprobe = {max_epochs = 1}\nvec = {max_epochs = 1}"
    head = 'data = "truth"\nrows = 20000\npreset = "quick"\nmethods = "standard"\nseeds = 1'
    sweep.write_text(f"{head}\n[[settings]]\n{deaf}\n[[settings]]\n{few}")
    command = [sys.executable, "-m", "diffoci", "audit", "--sweep", str(sweep), "--out", str(out)]
    process = subprocess.Popen([*command, "--jobs", "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_until(lambda: list(out.glob("*/cells/exact.history.jsonl")), seconds=60)
    (run,) = (Run.open(path.parent) for path in out.glob("*/spec.json"))
    run.cancel()
    assert wait_until(lambda: run.status().state == "cancelled") < 3.0
    printed, _ = process.communicate(timeout=60)
    assert [audit["state"] for audit in json.loads(printed)["audits"]] == ["cancelled", "done"]


def test_a_cell_whose_process_is_killed_fails_alone(new_run: NewRun) -> None:
    run = new_run(dying=["methods-dF3-0"], seeds=1, seconds=1.0)
    assert execute(run, Means(jobs=2)).state == "done"
    assert list(run.result().failures) == ["methods-dF3-0"]
    assert "killed" in run.result().failures["methods-dF3-0"]
    assert list(run.result().methods) == ["standard"]
    begun = [line for line in read_records(history_file(run.cells, "methods-dF3-0")) if line.get("state") == "running"]
    assert len(begun) == 2  # memory may have been short: it is tried once more, alone


def test_a_cell_whose_process_is_killed_once_costs_nothing(new_run: NewRun) -> None:
    run = new_run(seconds=1.0, seeds=2)
    killed: list[int] = []

    def kill_one() -> None:
        wait_until(lambda: processes_of_cells(run))
        killed.append(min(processes_of_cells(run)))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill_one)
    thread.start()
    assert execute(run, Means(jobs=2)).message == ""
    thread.join()
    assert killed
    assert numbers(run) == undisturbed(run)


class DiesWhenRead:
    """Data that end the process that reads them before it has read them all."""

    def __init__(self) -> None:
        self.first, self.rest = Deadly(), b"x" * 10_000_000


class Deadly:
    def __reduce__(self) -> tuple[Callable[[int], None], tuple[int]]:
        return os._exit, (1,)


def test_a_process_killed_while_it_takes_over_the_data_costs_its_cell_only(new_run: NewRun) -> None:
    run = new_run(seeds=1)
    cells = FAKE.plan(run.spec, FAKE.load(run.spec))
    tasks = [Task(FAKE.name, run.spec, cell, FolderChannel(run.folder)) for cell in cells]
    outcomes = list(in_processes(tasks, DiesWhenRead(), jobs=2, stopped=lambda: False))  # type: ignore[arg-type]
    assert {outcome.cell for outcome in outcomes} == {cell.id for cell in cells}
    assert all("was killed" in outcome.error for outcome in outcomes)


def test_a_free_process_goes_on_with_kin_and_a_new_one_begins_what_no_other_does(new_run: NewRun) -> None:
    run = new_run(seeds=1)

    def task(kin: str) -> Task:
        return Task(FAKE.name, run.spec, Cell(kin, "parts", "any", 0, kin=kin), FolderChannel(run.folder))

    waiting = deque(map(task, ("a", "a", "b", "b", "c", "")))
    workers = _Workers(None)  # type: ignore[arg-type]
    order = []
    for free, busy in (("", ""), ("", "a"), ("b", "a"), ("b", "a"), ("a", "c"), ("a", "")):
        workers._idle = [SimpleNamespace(task=task(free))] if free else []  # type: ignore[list-item]
        workers._busy = {None: SimpleNamespace(task=task(busy))} if busy else {}  # type: ignore[dict-item]
        order.append(workers._next(waiting).cell.kin)
    assert order == ["a", "b", "b", "c", "a", ""]
    assert not waiting


def test_a_script_that_starts_a_run_is_not_run_again_by_its_processes(tmp_path: Path) -> None:
    script, marks = tmp_path / "script.py", tmp_path / "marks"
    script.write_text(
        f"""
with open({str(marks)!r}, "a") as file:
    file.write("run\\n")
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from fake_study import FAKE, FakeSpec

run = Run.create(FAKE, FakeSpec(seeds=1, seconds=0.0))
assert execute(run, Means(jobs=2)).message == ""
"""
    )
    subprocess.run([sys.executable, str(script)], check=True, timeout=60)
    assert marks.read_text() == "run\n"


def hear_ctrl_c() -> None:
    """Undo what a test run in the background inherits: there Ctrl-C is ignored, and so it is in all its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_leaves_a_run_that_resumes_and_says_how(new_run: NewRun, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = new_run(folder=out, seconds=1.5)
    process = subprocess.Popen(
        [*RESUME, str(out), "--jobs", "1", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )
    wait_until(lambda: done_cells(run))
    os.killpg(process.pid, signal.SIGINT)  # a terminal tells the whole group
    printed, said = process.communicate(timeout=10)
    assert process.returncode == 130
    assert printed == ""
    assert said.strip() == f"Stopped; what is finished is kept. Resume with: python -m diffoci runs resume {out}"
    assert run.status().state == "interrupted"
    assert execute(run, HERE).state == "done"
    assert numbers(run) == undisturbed(run)

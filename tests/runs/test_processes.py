"""Runs in processes of their own: killed, cancelled, orphaned, started twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from diffoci.runs.cell_files import history_file
from diffoci.runs.files import read_lines
from diffoci.runs.job import ENGINE, Task, engine_named
from diffoci.runs.launch import start
from diffoci.runs.links import FolderLink
from diffoci.runs.lock import AlreadyRunning
from diffoci.runs.places import in_processes
from diffoci.runs.progress import read_progress
from diffoci.runs.runner import Means, run_audit
from diffoci.runs.store import Run
from tests.runs import fake_engine
from tests.runs.conftest import FAKE, HERE, is_alive, numbers, undisturbed, wait_until

NewRun = Callable[..., Run]
SHORT = {"curve": []}


def done_cells(run: Run) -> list[str]:
    return [cell.id for cell in read_progress(run.folder).cells if cell.state == "done"]


def processes_of_cells(run: Run) -> set[int]:
    return {line["pid"] for line in read_lines(run.progress_file) if "pid" in line}


def processes_below(pid: int) -> set[int]:
    return {child.pid for child in psutil.Process(pid).children(recursive=True)}


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # concept-erasure, when imported
def test_a_killed_run_is_seen_and_continues_where_it_was_with_the_same_numbers() -> None:
    spec = engine_named(ENGINE).make_spec(
        "student", sensitive=["sex"], preset="quick", seeds=1, twin=True, methods=["standard", "dF3"], settings=SHORT
    )
    run, undisturbed = Run.create(spec), Run.create(spec)
    pid = start(run.folder, jobs=2)
    assert run.status().state == "running"
    with pytest.raises(AlreadyRunning):  # the second of two tabs
        start(run.folder, jobs=2)
    wait_until(lambda: done_cells(run), seconds=60)
    children = processes_below(pid)
    assert len(children) >= 3  # two that compute, and the one they are forked from
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: run.status().state == "interrupted", seconds=3)
    wait_until(lambda: not any(map(is_alive, children)), seconds=5)
    kept = {name: (run.cells / f"{name}.json").stat().st_mtime_ns for name in done_cells(run)}
    assert 1 <= len(kept) < 5
    for one in (run, undisturbed):
        assert run_audit(one, Means(jobs=1)).state == "done"
    assert {name: (run.cells / f"{name}.json").stat().st_mtime_ns for name in kept} == kept
    killed, whole = run.result(), undisturbed.result()
    for result in (killed, whole):
        assert result["failures"] == {}
        del result["id"], result["provenance"]["seconds"]
    assert killed == whole


@pytest.mark.alone
def test_cancel_takes_effect_in_three_seconds_even_in_cells_that_do_not_listen(new_run: NewRun) -> None:
    run = new_run(seconds=60, seeds=1, deaf=["methods-dF3-0"])
    start(run.folder, jobs=2, engine=FAKE)
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
    start(run.folder, jobs=1, engine=FAKE)
    wait_until(run.progress_file.exists)
    run.cancel()
    assert wait_until(lambda: run.status().state == "cancelled") < 3.0


def test_a_killed_command_leaves_a_run_that_was_interrupted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "diffoci", "audit", "--data", "truth", "--engine", FAKE, "--out", str(out)]
    process = subprocess.Popen([*command, "--jobs", "1", "--setting", "seconds=1.5"])
    wait_until(lambda: (out / "spec.json").exists() and done_cells(Run.open(out)))
    process.kill()
    process.wait()
    assert Run.open(out).status().state == "interrupted"


@pytest.mark.alone
def test_an_audit_of_a_sweep_is_cancelled_in_three_seconds_and_the_next_one_runs(tmp_path: Path) -> None:
    sweep, out = tmp_path / "sweep.toml", tmp_path / "out"
    deaf = 'deaf = ["methods-standard-0"]'
    sweep.write_text(f'data = "truth"\nseeds = 1\n[[settings]]\n{deaf}\n[[settings]]\nseconds = 0.0')
    command = [sys.executable, "-m", "diffoci", "audit", "--sweep", str(sweep), "--out", str(out), "--engine", FAKE]
    process = subprocess.Popen([*command, "--jobs", "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_until(lambda: any(processes_of_cells(Run.open(path.parent)) for path in out.glob("*/progress.jsonl")))
    (run,) = (Run.open(path.parent) for path in out.glob("*/spec.json"))
    run.cancel()
    assert wait_until(lambda: run.status().state == "cancelled") < 3.0
    printed, _ = process.communicate(timeout=30)
    assert [audit["state"] for audit in json.loads(printed)["audits"]] == ["cancelled", "done"]


def test_a_cell_whose_process_is_killed_fails_alone(new_run: NewRun) -> None:
    run = new_run(dying=["methods-dF3-0"], seeds=1, seconds=1.0)
    assert run_audit(run, Means(jobs=2, engine=FAKE)).state == "done"
    assert list(run.result()["failures"]) == ["methods-dF3-0"]
    assert "killed" in run.result()["failures"]["methods-dF3-0"]
    assert [method["name"] for method in run.result()["methods"]] == ["standard"]
    begun = [line for line in read_lines(history_file(run.cells, "methods-dF3-0")) if line.get("state") == "running"]
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
    assert run_audit(run, Means(jobs=2, engine=FAKE)).message == ""
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
    cells = fake_engine.plan(run.spec, fake_engine.load_dataset(run.spec))
    tasks = [Task(FAKE, run.spec, cell, FolderLink(run.folder)) for cell in cells]
    outcomes = list(in_processes(tasks, DiesWhenRead(), jobs=2, stopped=lambda: False))  # type: ignore[arg-type]
    assert {outcome.cell for outcome in outcomes} == {cell.id for cell in cells}
    assert all("was killed" in outcome.error for outcome in outcomes)


def test_a_script_that_runs_an_audit_is_not_run_again_by_its_processes(tmp_path: Path) -> None:
    script, marks = tmp_path / "script.py", tmp_path / "marks"
    script.write_text(
        f"""
with open({str(marks)!r}, "a") as file:
    file.write("run\\n")
from diffoci.runs.runner import Means, run_audit
from diffoci.runs.store import Run
from tests.runs import fake_engine

run = Run.create(fake_engine.make_spec("truth", sensitive=None, seeds=1, settings={{"seconds": 0.0}}))
assert run_audit(run, Means(jobs=2, engine={FAKE!r})).message == ""
"""
    )
    subprocess.run([sys.executable, str(script)], check=True, timeout=60)
    assert marks.read_text() == "run\n"


def hear_ctrl_c() -> None:
    """Undo what a test run in the background inherits: there Ctrl-C is ignored, and so it is in all its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_leaves_a_run_that_resumes_and_says_how(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "diffoci", "audit", "--data", "truth", "--engine", FAKE, "--out", str(out)]
    command += ["--jobs", "1", "--setting", "seconds=1.5", "--json"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )
    wait_until(lambda: (out / "spec.json").exists() and done_cells(Run.open(out)))
    os.killpg(process.pid, signal.SIGINT)  # a terminal tells the whole group
    printed, said = process.communicate(timeout=10)
    assert process.returncode == 130
    assert printed == ""
    assert said.strip() == f"Stopped; what is finished is kept. Resume with: python -m diffoci runs resume {out}"
    run = Run.open(out)
    assert run.status().state == "interrupted"
    assert run_audit(run, HERE).state == "done"
    assert numbers(run) == undisturbed(run)

"""``diffoci audit`` and ``diffoci runs`` on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.audit.study import AUDIT
from diffoci.audit.sweep import read_sweep
from diffoci.commands import foreground
from diffoci.runs import memory, queue
from diffoci.runs.runner import execute
from diffoci.runs.store import Run, Status, list_runs
from tests.runs.conftest import HERE, wait_until

NewRun = Callable[..., Run]
ONE = ["--jobs", "1"]
SMALL = ["--preset", "quick", "--seeds", "1", "--methods", "standard,leace", "--device", "cpu"]
for name in ("probe={max_epochs=1,hidden=[4]}", "vec={max_epochs=1}", "null_draws=100", "permutations=1"):
    SMALL += ["--setting", name]
TRUTH = ["audit", "--data", "truth", "--rows", "120", *SMALL]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    return capsys.readouterr().err.strip()


def test_an_audit_prints_its_result_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    text = printed(capsys, *TRUTH, *ONE, "--out", str(out), "--json")
    assert json.loads(text) == json.loads((out / "result.json").read_text())


def test_an_audit_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *TRUTH, *ONE).splitlines()
    assert lines[0].split("  ")[0] == "method"
    assert "group guessed (AUC)" in lines[0]
    assert [line.split()[0] for line in lines[1:3]] == ["standard", "leace"]
    assert re.search(r"  0\.\d{3}  .*0\.\d{3} to 0\.\d{3}  too few people to say$", lines[2])
    assert "120 rows of SIMULATED data" in lines[3]
    assert lines[4] == "note: Generated with known truth: no row describes a person."
    assert lines[-1] == f"kept in {list_runs()[0].folder}"


def test_an_audit_is_resumed_in_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = [*TRUTH, *ONE, "--out", str(out), "--json"]
    first = json.loads(printed(capsys, *command))
    (out / "result.json").unlink()
    (out / "cells" / "leace.0.json").unlink()
    second = json.loads(printed(capsys, *command))
    assert second["id"] == first["id"]
    assert second["methods"] == first["methods"]


def test_a_folder_with_another_run_is_refused(
    tmp_path: Path, new_run: NewRun, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    new_run(folder=out)
    said = refused(capsys, *TRUTH, "--out", str(out))
    assert said == f"diffoci: {out} holds another run (Fake study); choose another folder with --out."


def test_options_reach_the_specification(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreground, "execute", lambda *_, **__: Status("cancelled"))
    out = tmp_path / "out"
    command = ["--data", f"csv:{tmp_path / 'a' / '..' / 'mine.csv'}", "--label", "y", "--positive", ">5"]
    command += ["--sensitive", 'sex,"a, b"', "--drop", "x,z", "--methods", "dF3,leace", "--option", "separator=;"]
    command += ["--setting", "null_draws=123", "--seeds", "1", "--device", "cpu"]
    assert "cancelled" in refused(capsys, "audit", *command, "--out", str(out))
    spec = Run.open(out).spec
    assert spec.data == f"csv:{(tmp_path / 'mine.csv').resolve()}"
    assert spec.sensitive == ("sex", "a, b")
    assert spec.methods == ("dF3", "leace")
    assert spec.options == {"label": "y", "positive": ">5", "drop": ["x", "z"], "separator": ";"}
    assert spec.settings["null_draws"] == 123
    assert (spec.seeds, spec.device) == ((0,), "cpu")


def test_a_failed_audit_is_one_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("The loss was not a number in epoch 3; lower lr.")

    monkeypatch.setattr(AUDIT, "run_cell", fail)
    said = refused(capsys, *TRUTH, *ONE)
    assert said.splitlines()[-1] == "diffoci: The run failed: The loss was not a number in epoch 3; lower lr."


def test_bad_input_leaves_the_folder_free_for_the_corrected_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "people.csv", tmp_path / "out"
    rows = [f"{k * k % 13},{'ab'[k % 2]},{'yes' if k % 5 < 2 else 'no'}" for k in range(120)]
    file.write_text("\n".join(["x,s,y", *rows]))
    command = ["audit", "--data", f"csv:{file}", "--sensitive", "s", "--out", str(out), *SMALL, *ONE]
    said = refused(capsys, *command, "--label", "nope")
    assert said.startswith("diffoci: 'nope' is not a column")
    assert not out.exists()
    printed(capsys, *command, "--label", "y")


def test_an_audit_that_does_not_fit_into_memory_is_refused_and_leaves_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "bytes_free", lambda: 2e8)
    for more in (ONE, ["--queue"]):
        assert "GB of memory and 0.2 GB are free" in refused(capsys, *TRUTH, *more)
        assert list_runs() == ()
        assert queue.waiting() == ()


def test_an_assignment_without_a_sign_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *TRUTH, "--option", "rows")
    assert said == "diffoci: 'rows' is not of the form NAME=VALUE."


def test_what_is_queued_waits_for_its_turn_and_runs_as_from_the_pages(new_run: NewRun) -> None:
    running, queued = new_run(), new_run()
    lock, seen = running.lock(), list[tuple[str, ...]]()

    def let_go() -> None:
        wait_until(queue.waiting)
        seen.append(queue.waiting())
        lock.close()

    thread = threading.Thread(target=let_go)
    thread.start()
    assert foreground.go_on_in_turn(queued).state == "done"
    thread.join()
    assert seen == [(queued.id,)]
    assert queued.log_file.exists()  # of a process of its own


def hear_ctrl_c() -> None:
    """Undo what a test run in the background inherits: there Ctrl-C is ignored, and so it is in all its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_takes_an_audit_out_of_the_queue(new_run: NewRun) -> None:
    with new_run().lock():
        process = subprocess.Popen(
            [sys.executable, "-m", "diffoci", *TRUTH, "--queue"],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=hear_ctrl_c,
        )
        wait_until(queue.waiting)
        (waiting,) = queue.waiting()
        os.killpg(process.pid, signal.SIGINT)
        assert "Resume with: python -m diffoci runs resume" in process.communicate(timeout=20)[1]
        assert process.returncode == 130
        assert queue.waiting() == ()
    assert next(run for run in list_runs() if run.id == waiting).status().state == "cancelled"


@pytest.mark.parametrize("more", [["--out", "x"], ["--jobs", "2"], ["--cluster", "tcp://127.0.0.1:9"]])
def test_the_queue_is_that_of_this_machine(capsys: pytest.CaptureFixture[str], more: list[str]) -> None:
    assert "give --queue without --sweep, --out, --jobs and --cluster" in refused(capsys, *TRUTH, "--queue", *more)
    assert list_runs() == ()


def test_runs_are_listed_and_shown(new_run: NewRun, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "runs", "list") == "There is no run yet.\n"
    waiting, done = new_run(), new_run(seconds=0.0)
    execute(done, HERE)
    rows = json.loads(printed(capsys, "runs", "list", "--json"))
    assert [(row["id"], row["state"]) for row in rows] == [(done.id, "done"), (waiting.id, "waiting")]
    assert {row["study"] for row in rows} == {"fake"}
    assert printed(capsys, "runs", "list").splitlines()[1].startswith(f"{waiting.id}  waiting")
    assert "waiting   0.0 %" in printed(capsys, "runs", "show", waiting.id[:12])
    assert "dF3" in printed(capsys, "runs", "show", str(done.folder))
    shown: dict[str, Any] = json.loads(printed(capsys, "runs", "show", done.id, "--json"))
    assert shown["result"]["id"] == done.id
    assert shown["progress"]["fraction"] == 1.0


def test_what_is_no_audit_has_no_report(new_run: NewRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = new_run(seconds=0.0)
    execute(run, HERE)
    for command in ("report", "card", "tables"):
        said = refused(capsys, command, run.id, "--out", str(tmp_path / "x.html"))
        assert said == f"diffoci: '{run.id}' is no audit: it is a run of another study, Fake study."


def test_a_cancelled_run_is_resumed(new_run: NewRun, capsys: pytest.CaptureFixture[str]) -> None:
    run = new_run()
    assert printed(capsys, "runs", "cancel", run.id) == "The run is cancelled.\n"
    assert "it is cancelled" in refused(capsys, "runs", "cancel", run.id)
    result = json.loads(printed(capsys, "runs", "resume", run.id, "--json", *ONE))
    assert result["id"] == run.id
    assert run.status().state == "done"


@pytest.mark.parametrize("which", ["../..", "nothing", "0" * 32, "abcd"])
def test_a_run_that_is_not_there_is_a_sentence(capsys: pytest.CaptureFixture[str], which: str) -> None:
    for action in ("show", "resume", "cancel"):
        assert refused(capsys, "runs", action, which).startswith("diffoci: There is no run")


SWEEP = """
data = ["student", "acs-income"]
state = ["AL", "GA"]
sensitive = ["sex", "sex,race"]
seeds = 1
twin = true
[[settings]]
null_draws = 100
[[settings]]
null_draws = 200
"""


def test_a_sweep_multiplies_out_and_options_go_only_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP)
    audits = read_sweep(path)
    assert len(audits) == 2 * 2 + 2 * 2 * 2  # student has no state
    assert len({audit.name for audit in audits}) == len(audits)
    assert audits[0].spec.options == {}
    assert {audit.spec.options.get("state") for audit in audits} == {None, "AL", "GA"}
    assert {audit.spec.sensitive for audit in audits} == {("sex",), ("sex", "race")}
    assert any(audit.name.startswith("acs-income-GA-sex-race-") for audit in audits)


def test_grids_of_their_own_inherit_what_stands_above(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('seeds = 2\n[[audit]]\ndata = "student"\n[[audit]]\ndata = "csv:a.csv"\nlabel = "y"\nseeds = 1')
    first, second = read_sweep(path)
    assert (len(first.spec.seeds), len(second.spec.seeds)) == (2, 1)
    assert second.spec.data == f"csv:{(tmp_path / 'a.csv').resolve()}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("data = [", "is not a TOML file"),
        ("seeds = 3", "names no data"),
        ('data = "student"\nstate = "AL"', "no source named there has an option 'state'"),
        ('data = "student"\nsensitive = []', "sensitive is an empty list"),
        ("data = 3", "named by a text"),
        ('data = "student"\nsensitive = 3', "Names are texts with commas between them, not 3"),
        ('audit = 3\ndata = "student"', r"written as \[\[audit\]\]"),
    ],
)
def test_a_sweep_file_that_is_none_is_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_sweep(path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('seeds = "3"', "number of repetitions (seeds) must be from 1 to 1000, not '3'"),
        ('settings = "x"', "Settings are a table of names and values, not 'x'"),
        ("settings = {network = 5}", "The setting 'network' is a table of numbers, not 5"),
        ("settings = {curve = 5}", "The setting 'curve' must be a list of numbers, not 5"),
        ("settings = {fractions = [0.5, 0.5]}", "must be three numbers above 0 that sum to 1"),
        ("settings = {network = {dropout = 1.5}}", "'network.dropout' must be a number from 0 to below 1, not 1.5"),
    ],
)
def test_impossible_settings_are_told_before_anything_runs(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(f'data = "truth"\n{text}')
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_sweep(path)


def test_names_of_a_sweep_may_have_spaces_around_them(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('data = "student"\nsensitive = "sex, school"')
    assert read_sweep(path)[0].spec.sensitive == ("sex", "school")


def test_a_damaged_run_does_not_hide_the_others(
    tmp_path: Path, new_run: NewRun, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", "c", "d"):
        new_run(folder=tmp_path / name).record("cancelled")
    (tmp_path / "a" / "state.json").write_text("{}")
    (tmp_path / "b" / "spec.json").write_text("{")
    other = (tmp_path / "d" / "spec.json").read_text().replace('"fake"', '"of another package"')
    (tmp_path / "d" / "spec.json").write_text(other)
    rows = json.loads(printed(capsys, "runs", "list", str(tmp_path), "--json"))
    assert [row["state"] for row in rows] == ["damaged", "damaged", "cancelled", "damaged"]
    assert rows[3]["message"].startswith("There is no study 'of another package' here")


def test_a_sweep_goes_on_after_a_failure_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "sweep.toml", tmp_path / "out"
    few = "probe = {max_epochs = 1}\nvec = {max_epochs = 1}\nnull_draws = 100\npermutations = 1"
    tail = f'preset = "quick"\nmethods = "standard"\nseeds = 1\n[settings]\n{few}'
    command = ["audit", "--sweep", str(path), "--out", str(out), *ONE]
    missing = tmp_path / "people.csv"
    path.write_text(f'data = ["csv:{missing}", "truth"]\nlabel = "hired"\nrows = 120\n{tail}')
    assert "1 of 2 audits have no result" in refused(capsys, *command)
    states = [audit["state"] for audit in json.loads((out / "sweep.json").read_text())["audits"]]
    assert states == ["failed", "done"]
    results = {result: result.stat().st_mtime_ns for result in out.glob("*/result.json")}
    path.write_text(f'data = "truth"\nrows = [130, 120]\n{tail}')
    assert printed(capsys, *command).count("done") == 2
    assert {result: result.stat().st_mtime_ns for result in results} == results
    assert sum(row["state"] == "done" for row in json.loads(printed(capsys, "runs", "list", str(out), "--json"))) == 2


def test_a_run_is_named_on_the_command_line(new_run: NewRun, capsys: pytest.CaptureFixture[str]) -> None:
    run, other = new_run(), new_run()
    assert printed(capsys, "runs", "name", run.id, "First quarter", "--note", "for the board").split() == [
        run.id, "First", "quarter",
    ]  # fmt: skip
    lines = {line.split()[0]: line for line in printed(capsys, "runs", "list").splitlines()}
    assert "First quarter" in lines[run.id]
    assert "First quarter" not in lines[other.id]
    rows = {row["id"]: row for row in json.loads(printed(capsys, "runs", "list", "--json"))}
    assert (rows[run.id]["name"], rows[run.id]["note"]) == ("First quarter", "for the board")
    assert (rows[other.id]["name"], rows[other.id]["note"]) == ("", "")
    assert "for the board" in printed(capsys, "runs", "show", run.id)
    assert "at most 80 are kept" in refused(capsys, "runs", "name", run.id, "x" * 81)
    assert "has no name any more" in printed(capsys, "runs", "name", run.id, "")

"""``diffoci audit`` and ``diffoci runs`` on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.runs.runner import run_audit
from diffoci.runs.store import Run, list_runs
from diffoci.runs.sweep import read_sweep
from tests.runs import fake_engine
from tests.runs.conftest import FAKE, HERE

QUICKLY = ["--engine", FAKE, "--jobs", "1"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    return capsys.readouterr().err.strip()


def test_an_audit_prints_its_result_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    text = printed(capsys, "audit", "--data", "truth", "--out", str(out), "--json", *QUICKLY)
    assert json.loads(text) == json.loads((out / "result.json").read_text())


def test_an_audit_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "audit", "--data", "truth", *QUICKLY).splitlines()
    assert lines[0].split("  ")[0] == "method"
    assert "group guessed (AUC)" in lines[0]
    assert [line.split()[0] for line in lines[1:3]] == ["standard", "dF3"]
    assert lines[2].endswith("0.600                0.450 to 0.560  detected")
    assert "200 rows of SIMULATED data" in lines[3]
    assert lines[4] == f"kept in {list_runs()[0].folder}"


def test_an_audit_is_resumed_in_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["audit", "--data", "truth", "--out", str(out), "--json", *QUICKLY]
    first = json.loads(printed(capsys, *command))
    (out / "result.json").unlink()
    (out / "cells" / "methods-dF3-1.json").unlink()
    second = json.loads(printed(capsys, *command))
    assert second["id"] == first["id"]
    assert second["methods"] == first["methods"]


def test_a_folder_with_another_audit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    printed(capsys, "audit", "--data", "truth", "--out", out, *QUICKLY)
    said = refused(capsys, "audit", "--data", "truth", "--seeds", "1", "--out", out, *QUICKLY)
    assert said == f"diffoci: {out} holds another audit (truth); choose another folder with --out."


def test_options_reach_the_specification(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["--data", f"csv:{tmp_path / 'a' / '..' / 'mine.csv'}", "--label", "y", "--positive", ">5"]
    command += ["--sensitive", 'sex,"a, b"', "--drop", "x,z", "--methods", "m,n", "--option", "separator=;"]
    command += ["--setting", "seconds=0.0", "--seeds", "1", "--device", "cpu"]
    printed(capsys, "audit", *command, "--out", str(out), *QUICKLY)
    spec = Run.open(out).spec
    assert spec.data == f"csv:{(tmp_path / 'mine.csv').resolve()}"
    assert spec.sensitive == ("sex", "a, b")
    assert spec.methods == ("m", "n")
    assert spec.options == {"label": "y", "positive": ">5", "drop": ["x", "z"], "separator": ";"}
    assert spec.settings == {"seconds": 0.0}
    assert (spec.seeds, spec.device) == ((0,), "cpu")


def test_a_failed_audit_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    failing = "failing=['methods-standard-0','methods-dF3-0']"
    said = refused(capsys, "audit", "--data", "truth", "--seeds", "1", "--setting", failing, *QUICKLY)
    assert said.splitlines()[-1] == (
        "diffoci: The audit failed: The loss of standard was not a number in epoch 3; lower lr."
    )


def test_bad_input_leaves_the_folder_free_for_the_corrected_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: Any) -> None:
        raise ValueError("'nope' is not a column of the file.")

    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(fake_engine, "load_dataset", absent)
        said = refused(capsys, "audit", "--data", "csv:x", "--label", "nope", "--out", str(out), *QUICKLY)
    assert said == "diffoci: 'nope' is not a column of the file."
    assert not out.exists()
    printed(capsys, "audit", "--data", "csv:x", "--label", "y", "--out", str(out), *QUICKLY)


def test_an_assignment_without_a_sign_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "audit", "--data", "truth", "--option", "rows", *QUICKLY)
    assert said == "diffoci: 'rows' is not of the form NAME=VALUE."


def test_runs_are_listed_and_shown(new_run: Callable[..., Run], capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "runs", "list") == "There is no audit yet.\n"
    waiting, done = new_run(), new_run(seconds=0.0)
    run_audit(done, HERE)
    rows = json.loads(printed(capsys, "runs", "list", "--json"))
    assert [(row["id"], row["state"]) for row in rows] == [(done.id, "done"), (waiting.id, "waiting")]
    assert printed(capsys, "runs", "list").splitlines()[1].startswith(f"{waiting.id}  waiting")
    assert "waiting   0.0 %" in printed(capsys, "runs", "show", waiting.id[:12])
    assert "dF3" in printed(capsys, "runs", "show", str(done.folder))
    shown: dict[str, Any] = json.loads(printed(capsys, "runs", "show", done.id, "--json"))
    assert shown["result"]["id"] == done.id
    assert shown["progress"]["fraction"] == 1.0


def test_a_cancelled_run_is_resumed(new_run: Callable[..., Run], capsys: pytest.CaptureFixture[str]) -> None:
    run = new_run()
    assert printed(capsys, "runs", "cancel", run.id) == "The audit is cancelled.\n"
    assert "it is cancelled" in refused(capsys, "runs", "cancel", run.id)
    result = json.loads(printed(capsys, "runs", "resume", run.id, "--json", *QUICKLY))
    assert result["id"] == run.id
    assert run.status().state == "done"


@pytest.mark.parametrize("which", ["../..", "nothing", "0" * 32, "abcd"])
def test_an_audit_that_is_not_there_is_a_sentence(capsys: pytest.CaptureFixture[str], which: str) -> None:
    for action in ("show", "resume", "cancel"):
        assert refused(capsys, "runs", action, which).startswith("diffoci: There is no audit")


SWEEP = """
data = ["student", "acs-income"]
state = ["AL", "GA"]
sensitive = ["sex", "sex,race"]
seeds = 1
twin = true
[[settings]]
seconds = 0.0
[[settings]]
seconds = 0.01
"""


def test_a_sweep_multiplies_out_and_options_go_only_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP)
    audits = read_sweep(path, engine=FAKE)
    assert len(audits) == 2 * 2 + 2 * 2 * 2  # student has no state
    assert len({audit.name for audit in audits}) == len(audits)
    assert audits[0].spec.options == {}
    assert {audit.spec.options.get("state") for audit in audits} == {None, "AL", "GA"}
    assert {audit.spec.sensitive for audit in audits} == {("sex",), ("sex", "race")}
    assert any(audit.name.startswith("acs-income-GA-sex-race-") for audit in audits)


def test_grids_of_their_own_inherit_what_stands_above(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('seeds = 2\n[[audit]]\ndata = "student"\n[[audit]]\ndata = "csv:a.csv"\nlabel = "y"\nseeds = 1')
    first, second = read_sweep(path, engine=FAKE)
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
        read_sweep(path, engine=FAKE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('seeds = "3"', "number of seeds must be from 1 to 1000, not '3'"),
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
    assert read_sweep(path, engine=FAKE)[0].spec.sensitive == ("sex", "school")


def test_a_damaged_run_does_not_hide_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b", "c"):
        run = Run.create(fake_engine.make_spec("truth", sensitive=None), folder=tmp_path / name)
        run.record("cancelled")
    (tmp_path / "a" / "state.json").write_text("{}")
    (tmp_path / "b" / "spec.json").write_text("{")
    states = [row["state"] for row in json.loads(printed(capsys, "runs", "list", str(tmp_path), "--json"))]
    assert states == ["damaged", "damaged", "cancelled"]


def test_a_sweep_goes_on_after_a_failure_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "sweep.toml", tmp_path / "out"
    bad = 'failing = ["methods-standard-0", "methods-dF3-0"]'
    path.write_text(f'data = "truth"\nseeds = 1\n[[settings]]\n{bad}\n[[settings]]\nseconds = 0.0')
    command = ["audit", "--sweep", str(path), "--out", str(out), *QUICKLY]
    assert "1 of 2 audits have no result" in refused(capsys, *command)
    states = [audit["state"] for audit in json.loads((out / "sweep.json").read_text())["audits"]]
    assert states == ["failed", "done"]
    results = {result: result.stat().st_mtime_ns for result in out.glob("*/result.json")}
    path.write_text('data = "truth"\nseeds = 1\n[[settings]]\nseconds = 0.02\n[[settings]]\nseconds = 0.0')
    assert printed(capsys, *command).count("done") == 2
    assert {result: result.stat().st_mtime_ns for result in results} == results
    assert len(json.loads(printed(capsys, "runs", "list", str(out), "--json"))) == 3

"""Item 7, labs: whatever one entry of an opened run is, reading works or is refused in one sentence."""

from __future__ import annotations

import json
import random

import msgspec
import pytest

from diffoci.__main__ import main
from diffoci.report.labs.known import LAB_REPORTS
from diffoci.runs.sentences import sentence_of
from diffoci.runs.store import Run
from tests.hostile_values import mutations
from tests.labs.small_runs import specs

READ, TAKEN = 250, 3  # of all ways to be wrong, which take minutes


@pytest.mark.parametrize("name", specs())
def test_item_7_a_wrong_entry_of_a_lab_s_run_is_a_sentence_or_does_no_harm(lab_runs: dict[str, Run], name: str) -> None:
    result = lab_runs[name].result()
    lab = LAB_REPORTS[result.study]
    content = {**json.loads(msgspec.json.encode(result)), "schema": 1}
    taken, unsaid = [], []
    for path, value, changed in random.Random(0).sample(list(mutations(result, content)), READ):
        try:
            taken.append(lab.study.read_result(changed, "result.json"))
        except ValueError as problem:
            if not (sentence_of(problem) or "").endswith("."):
                unsaid.append((path, value, problem))
    assert unsaid == []
    for one in taken:
        lab.study.headline(one)
    for one in random.Random(1).sample(taken, TAKEN):
        lab.document(one, 1.7e9, None)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("toy", '"rows": 200,', '"rows": 200000000000,'),
        ("toy", '"measure": "mse"', '"measure": "accuracy"'),
        ("toy", '"name": "FOCI"', '"name": "constructor"'),
        ("fairness", '"data": "student"', '"data": "truth"'),
        ("fairness", '"given": [', '"given": ["age", '),
        ("shift", '"method": "random"', '"method": "eval"'),
        ("observations", '"expression": "(i) [f1 + f2, f3]"', '"expression": "(i)"'),
        ("spurious", '"cells": [', '"cells": [0.5, '),
    ],
)
def test_item_7_every_command_refuses_such_a_run_in_one_sentence(
    lab_runs: dict[str, Run], name: str, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = lab_runs[name]
    whole = run.result_file.read_text()
    assert old in whole
    try:
        run.result_file.write_text(whole.replace(old, new, 1))
        for command in (["report"], ["card"], ["tables"], ["export", "--method", "dF3"], ["runs", "show"]):
            out = [] if command[0] == "runs" else ["--out", str(run.folder.parent / "out.html")]
            assert main([*command, str(run.folder), *out]) == 2, command
            said = capsys.readouterr().err.strip()
            assert said.startswith("diffoci: "), command
            assert "\n" not in said, command
    finally:
        run.result_file.write_text(whole)


@pytest.mark.parametrize("name", specs())
def test_a_shared_run_of_a_lab_is_opened_and_reported_alike(
    lab_runs: dict[str, Run], name: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    packed, report = tmp_path / "run.zip", tmp_path / "report.html"
    assert main(["share", str(lab_runs[name].folder), "--out", str(packed)]) == 0
    assert main(["verify", str(packed)]) == 0
    assert main(["open", str(packed)]) == 0
    assert main(["runs", "show", str(lab_runs[name].folder)]) == 0
    (opened,) = (tmp_path / "runs").glob("[0-9a-f]" * 32)
    assert main(["report", str(opened), "--out", str(report)]) == 0
    assert main(["verify", str(report)]) == 0

"""Tables of the paper: declared once, run by the command, with its figures beside ours."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from diffoci.__main__ import main
from diffoci.audit.result import Mean
from diffoci.labs.feature_selection.spec import LabSpec
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.reproducible import Asked, Plan, Row
from diffoci.labs.tables import TABLES
from diffoci.runs.store import Run, list_runs


def row(value: Mean, paper: float | None = 0.2, **more) -> Row:
    return Row(study="toy1", method="full", measure="mse", value=value, paper=paper, **more)


@pytest.mark.parametrize(
    ("value", "paper", "agreement"),
    [
        (Mean(0.5, 0.1, 0.9, ()), 0.2, "agrees"),
        (Mean(0.5, 0.4, 0.6, ()), 0.2, "differs"),
        (Mean(0.21, None, None, (0.21,)), 0.2, "agrees"),
        (Mean(0.5, 0.4, 0.6, ()), None, "not in the paper"),
        (Mean(None, None, None, ()), 0.2, "not run here"),
    ],
)
def test_a_figure_agrees_inside_our_interval_or_near_it(value: Mean, paper: float | None, agreement: str) -> None:
    assert row(value, paper).agreement == agreement


def test_a_wide_interval_agrees_with_nothing_far() -> None:
    wide, near = Mean(0.5, 0.1, 0.9, ()), Mean(0.21, 0.1, 0.9, ())
    assert row(wide, widest=0.5).agreement == "too wide to say"
    assert row(near, widest=0.5).agreement == "agrees"


def test_a_reason_is_given_only_where_figures_differ() -> None:
    far, near = Mean(0.5, 0.4, 0.6, ()), Mean(0.2, 0.1, 0.3, ())
    assert row(far, reason="fewer epochs").to_dict()["reason"] == "fewer epochs"
    assert row(near, reason="fewer epochs").to_dict()["reason"] == ""


@pytest.fixture
def small_toy(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """The table of toys, with one that takes a second."""
    spec = LabSpec(problem="toy1", knobs={"n": 200}, methods=("mean", "full", "FOCI"), seeds=(0, 1))
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    monkeypatch.setitem(
        TABLES, "toy", replace(TABLES["toy"], plan=lambda *_: Plan((Asked(FEATURE_LAB, spec),), ("x",)))
    )


@pytest.mark.usefixtures("small_toy")
def test_reproduce_prints_rows_with_the_figures_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "toy", "--preset", "quick", "--json", "--jobs", "1"]) == 0
    printed = json.loads(capsys.readouterr().out)
    rows = {entry["method"]: entry for entry in printed["rows"]}
    assert rows["mean"]["paper"] == 1.38
    assert rows["full"]["mse"]["low"] < rows["full"]["mse"]["mean"] < rows["mean"]["mse"]["mean"]
    assert printed["notes"] == {"toy": ["x"]}


@pytest.mark.usefixtures("small_toy")
def test_reproduce_writes_one_page_of_tables(tmp_path) -> None:
    page = tmp_path / "page.html"
    assert main(["reproduce", "toy", "--preset", "quick", "--out", str(page), "--jobs", "1"]) == 0
    text = page.read_text()
    assert "Toy studies" in text
    assert "1.380" in text


@pytest.mark.usefixtures("small_toy")
def test_reproduce_goes_on_with_a_run_that_was_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    (asked,) = TABLES["toy"].plan("quick").asked
    stopped = Run.create(asked.study, asked.spec)
    stopped.cancel()
    assert main(["reproduce", "toy", "--json", "--jobs", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"]
    assert [run.id for run in list_runs()] == [stopped.id]
    assert stopped.status().state == "done"


@pytest.mark.usefixtures("small_toy")
def test_reproduce_keeps_what_it_had_finished_before_it_was_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (first,) = TABLES["toy"].plan("quick").asked
    second = replace(first, spec=LabSpec(problem="toy2", knobs={"n": 200}, methods=("full",), seeds=(0,)))
    monkeypatch.setitem(TABLES, "toy", replace(TABLES["toy"], plan=lambda *_: Plan((first, second))))
    assert main(["reproduce", "toy", "--json", "--jobs", "1"]) == 0
    whole = {run.id for run in list_runs()}
    (of_second,) = [run for run in list_runs() if run.spec == second.spec]
    of_second.record("interrupted")
    assert main(["reproduce", "toy", "--json", "--jobs", "1"]) == 0
    assert {run.id for run in list_runs()} == whole
    assert main(["reproduce", "toy", "--json", "--jobs", "1"]) == 0  # nothing was stopped: everything is run anew
    assert len(list_runs()) == 4
    *_, resumed, anew = [json.loads(line)["rows"] for line in capsys.readouterr().out.splitlines()]
    assert resumed == anew

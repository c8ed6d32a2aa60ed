"""A study from another package runs, is watched, listed, shared and shown as the audit is."""

from __future__ import annotations

import importlib
import io
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from diffoci import plugins
from diffoci.__main__ import main
from diffoci.runs.launch import start
from diffoci.runs.runner import Means, execute
from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run, list_runs
from diffoci.runs.study import Study, study_named
from tests.runs.conftest import wait_until

ROOT = Path(__file__).parents[2]
STUDY = """
from types import SimpleNamespace
from diffoci.runs import Cell, CellOutput, Result, Spec, Study

class MeanSpec(Spec, frozen=True, kw_only=True):
    numbers: tuple[float, ...]

class MeanResult(Result, frozen=True, kw_only=True):
    mean: float

class Mean(Study):
    name, title, spec, result = "mean", "Mean of numbers", MeanSpec, MeanResult

    def load(self, spec):
        return SimpleNamespace(values=spec.numbers, sha256=spec.digest())
    def plan(self, spec, data):
        return [Cell(f"number-{k}", "numbers", "number", k) for k in range(len(data.values))]
    def run_cell(self, spec, data, cell, watch):
        return CellOutput({"value": data.values[cell.seed]})
    def assemble(self, spec, data, outputs, failures, made):
        return MeanResult(mean=sum(one.summary["value"] for one in outputs.values()) / len(outputs))
    def headline(self, result):
        return f"The mean is {result.mean:g}."

MEAN = Mean()
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put a package beside ours that names the study, as installing it would; one beside it is broken."""
    folder = tmp_path / "packages"
    for package, points in {"means": "mean = means:MEAN", "broken": "nothing = no_such_module:STUDY"}.items():
        (folder / f"{package}-1.0.dist-info").mkdir(parents=True)
        (folder / f"{package}-1.0.dist-info" / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
        (folder / f"{package}-1.0.dist-info" / "entry_points.txt").write_text(f"[diffoci.studies]\n{points}\n")
    (folder / "means.py").write_text(STUDY)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(folder))))
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    _look_again()
    yield folder
    sys.modules.pop("means", None)
    _look_again()


def _look_again() -> None:
    """Forget what was found before."""
    importlib.invalidate_caches()
    plugins._points.cache_clear()
    plugins.names.cache_clear()
    plugins.load.cache_clear()


def made() -> Run:
    mean = study_named("mean")
    return Run.create(mean, mean.spec(numbers=(1.0, 2.0, 6.0)))


def finished() -> Run:
    run = made()
    assert execute(run, Means(jobs=1)).state == "done"
    return run


def test_a_study_takes_a_few_lines() -> None:
    assert len(STUDY.strip().splitlines()) <= 25


def test_it_runs_in_processes_of_its_own_and_is_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run = made()
    start(run.folder, jobs=2)
    wait_until(lambda: run.status().state == "done", seconds=120)
    assert (run.result().id, run.result().study, run.result().mean) == (run.id, "mean", 3.0)
    assert main(["runs", "list"]) == main(["runs", "show", run.id]) == 0
    said = capsys.readouterr().out
    assert "mean  Mean of numbers" in said
    assert "The mean is 3." in said


def test_it_is_shared_and_opened_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = finished()
    shared = pack(run)
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "elsewhere"))
    there = open_shared(io.BytesIO(shared))
    assert there.folder != run.folder
    assert (there.study, there.spec, there.result()) == (run.study, run.spec, run.result())


def test_where_it_is_not_installed_a_shared_run_is_refused_in_a_sentence(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = pack(finished())
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "elsewhere"))
    (installed / "means-1.0.dist-info" / "entry_points.txt").unlink()
    _look_again()
    with pytest.raises(ValueError, match="There is no study 'mean' here; this installation has"):
        open_shared(io.BytesIO(shared))
    assert list_runs() == ()


def test_it_is_found_on_the_pages_and_no_page_takes_it_for_an_audit() -> None:
    run = finished()
    home = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert "The mean is 3." in _shown(home)
    home.query_params["audit"] = run.id
    watched = home.switch_page("pages/train.py").run()
    assert watched.title[0].value == "Mean of numbers"
    assert watched.dataframe[0].value["Part"].tolist() == ["number"] * 3
    watched.query_params["audit"] = run.id
    assert "It is a run of another study: Mean of numbers." in _shown(watched.switch_page("pages/compare.py").run())


def _shown(app: AppTest) -> str:
    assert not app.exception
    assert not app.error
    return "\n".join(str(element.value) for element in app.markdown).replace("\\", "")


def test_a_broken_one_costs_a_sentence_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert set(plugins.load_all(plugins.STUDIES, Study)) >= {"audit", "mean"}
    assert "The plug-in 'nothing' (no_such_module:STUDY) cannot be loaded and is left out" in caplog.text

"""Claims about the report of the lab: verify agrees with it, and finds a number that was changed."""

from __future__ import annotations

import pytest

from diffoci.__main__ import main
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.labs.spurious import build_spurious_report
from diffoci.runs._pool import load_ahead
from tests.labs.spurious.small_run import finished, small_spec


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spurious-report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIFFOCI_CACHE", str(folder / "cache"))
        run = finished(small_spec(methods=("ERM", "ERM+dF2")), folder / "run")
        path = folder / "report.html"
        path.write_text(build_spurious_report(run.result(), created=run.created))
        yield path


def test_verify_agrees_with_a_report_as_written(report, capsys):
    assert main(["verify", str(report)]) == 0
    assert "Every number agrees." in capsys.readouterr().out


def test_verify_computes_a_run_again_and_keeps_weights_where_this_process_is_told_to(
    report, capsys, monkeypatch, tmp_path
):
    load_ahead(SPURIOUS_LAB)  # what processes are forked from is older than what follows
    monkeypatch.setenv("DIFFOCI_CACHE", str(tmp_path))
    assert main(["verify", str(report), "--rerun"]) == 0
    assert "rerun       agree" in capsys.readouterr().out
    assert list(tmp_path.glob("spurious-lab/*.safetensors"))


@pytest.mark.parametrize("shown", ["Mini-birds: what the average hides", '"worst_group":{"mean":0.'])
def test_verify_finds_what_was_changed(report, shown, tmp_path, capsys):
    text = report.read_text()
    assert shown in text
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace(shown, shown.replace("hides", "shows").replace("0.", "0.9"), 1))
    assert main(["verify", str(changed)]) != 0


def test_the_report_says_that_mini_birds_are_drawn(report):
    assert "SIMULATED" in report.read_text()

"""A probe of another package guesses beside ours and is named where ours are; one that is broken costs a line."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from diffoci import plugins
from diffoci.__main__ import main
from diffoci.audit.probes import PROBES
from diffoci.audit.words import probe_title
from diffoci.runs.store import list_runs
from tests.extension.conftest import QUICKLY, Plug
from tests.extension.test_method import audited, train_form

NEIGHBOURS = '''
"""Guess as the nearest people are."""
from diffoci.audit.probes import Answer, Probe, class_probabilities

def fit(asked):
    from sklearn.neighbors import KNeighborsClassifier
    model = KNeighborsClassifier(5).fit(asked.z[asked.rows], asked.code[asked.rows])
    return Answer(
        class_probabilities(model, asked.z[asked.held], asked.classes),
        class_probabilities(model, asked.z[asked.test], asked.classes),
    )

NEIGHBOURS = Probe(name="neighbours", title="nearest neighbours", colour="#56B4E9", marker="star", fit=fit)
'''


def test_it_takes_no_more_than_25_lines() -> None:
    assert len(NEIGHBOURS.strip().splitlines()) <= 25


def test_it_guesses_beside_ours(plugged: Plug) -> None:
    ours = list(PROBES)
    plugged(plugins.PROBES, "neighbours", NEIGHBOURS)
    (found,) = audited(methods=["standard"]).methods
    for guessed in found.leakage.by_attribute["group"].values():
        assert list(guessed.probes) == [*ours, "neighbours"]
        area = guessed.probes["neighbours"].auc.mean
        assert area is not None
        assert 0 <= area <= 1
    assert list(found.y.probes) == [*ours, "neighbours"]


def test_it_stands_on_the_compare_page_in_the_report_and_in_verify(
    plugged: Plug, tmp_path: Path, open_at: Callable[..., AppTest], capsys: pytest.CaptureFixture[str]
) -> None:
    plugged(plugins.PROBES, "neighbours", NEIGHBOURS)
    assert main(["audit", "--data", "truth", "--rows", "300", "--methods", "standard", *QUICKLY]) == 0
    (run,) = list_runs()
    app = open_at("pages/compare.py", audit=run.id)
    assert any("nearest neighbours" in chart.proto.spec for chart in app.get("plotly_chart"))
    report = tmp_path / "report.html"
    assert main(["report", run.id, "--out", str(report)]) == 0
    assert "nearest neighbours" in report.read_text()
    capsys.readouterr()
    assert main(["verify", str(report)]) == 0
    assert "Every number agrees." in capsys.readouterr().out


def test_the_train_page_says_that_it_guesses(plugged: Plug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(plugins.PROBES, "neighbours", NEIGHBOURS)
    captions = [caption.value for caption in train_form(tmp_path, monkeypatch).caption]
    assert "Guessed by logistic regression, neural network, boosted trees and nearest neighbours." in captions


def test_it_is_called_by_its_title(plugged: Plug) -> None:
    plugged(plugins.PROBES, "neighbours", NEIGHBOURS)
    assert probe_title("neighbours") == "nearest neighbours"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import no_such_package", "cannot be loaded and is left out: No module named 'no_such_package'"),
        ("NEIGHBOURS = 3", "is left out: it is no Probe of that name"),
        (NEIGHBOURS.replace('name="neighbours"', 'name="others"'), "is left out: it is no Probe of that name"),
    ],
)
def test_one_that_is_broken_costs_a_sentence_in_the_log(
    plugged: Plug, caplog: pytest.LogCaptureFixture, code: str, words: str
) -> None:
    ours = list(PROBES)
    with caplog.at_level(logging.WARNING):
        plugged(plugins.PROBES, "neighbours", code)
        assert list(PROBES) == ours
    assert [words in record.getMessage() for record in caplog.records] == [True]

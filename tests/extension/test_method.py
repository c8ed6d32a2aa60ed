"""A method of another package is trained, measured, listed and drawn as ours are; one that is broken costs a line."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from diffoci import plugins
from diffoci.__main__ import main
from diffoci.audit.make_spec import make_spec
from diffoci.audit.methods import METHODS, default_methods, method_named
from diffoci.audit.result import AuditResult
from diffoci.audit.study import AUDIT
from diffoci.figures.template import method_class
from diffoci.report._rerun_command import rerun_command
from diffoci.runs.store import list_runs
from diffoci.runs.study import Made, Watch
from tests.extension.conftest import QUICKLY as CLI_QUICKLY
from tests.extension.conftest import Plug

ROOT = Path(__file__).parents[2]
FEW_FEATURES = '''
"""Keep the features that vary most."""
import numpy as np
from diffoci.audit.methods import Method, Representation

def build(prepared, settings, seed, watch):
    spread = prepared.standard[prepared.split.train].std(axis=0)
    return Representation(prepared.standard[:, np.argsort(spread)[-3:]], {"kept": 3})

FEW_FEATURES = Method(
    name="few-features",
    title="The three widest features",
    short="Widest",
    description="the three features that vary most",
    build=build,
)
'''
QUICKLY: dict[str, Any] = {
    "vec": {"max_epochs": 1},
    "probe": {"max_epochs": 2, "hidden": [8]},
    "exact_rows": 100,
    "permutations": 9,
    "null_draws": 100,
}


def audited(**asked: Any) -> AuditResult:
    """The result of a tiny audit, run in this process."""
    spec = make_spec("truth", preset="quick", seeds=1, options={"rows": 300}, settings=QUICKLY, device="cpu", **asked)
    dataset = AUDIT.load(spec)
    outputs = {cell.id: AUDIT.run_cell(spec, dataset, cell, Watch()) for cell in AUDIT.plan(spec, dataset)}
    return AUDIT.assemble(spec, dataset, outputs, {}, Made({}, "cpu", 0.0))


def train_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The Train page with data chosen."""
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("DIFFOCI_CACHE", str(tmp_path / "cache"))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["draft"] = {"data": "truth", "sensitive": ("group",), "twin": False, "options": {"rows": 300}}
    app.switch_page("pages/train.py").run()
    assert not app.exception
    return app


def test_it_takes_no_more_than_25_lines() -> None:
    assert len(FEW_FEATURES.strip().splitlines()) <= 25


def test_it_is_audited_beside_ours(plugged: Plug) -> None:
    plugged(plugins.METHODS, "few-features", FEW_FEATURES)
    result = audited(methods=["standard", "few-features"])
    assert [one.name for one in result.methods] == ["standard", "few-features"]
    method = result.method("few-features")
    assert (method.title, method.called) == ("The three widest features", "Widest")
    assert method.chosen == ({"kept": 3},)
    area = method.leakage.by_attribute["group"]["representation"].auc.mean
    assert area is not None
    assert 0 <= area <= 1
    assert method.decisions is not None


def test_it_stands_on_the_compare_page_in_the_report_and_in_verify(
    plugged: Plug, tmp_path: Path, open_at: Callable[..., AppTest], capsys: pytest.CaptureFixture[str]
) -> None:
    plugged(plugins.METHODS, "few-features", FEW_FEATURES)
    asked = ["--data", "truth", "--rows", "300", "--methods", "standard,few-features", *CLI_QUICKLY]
    assert main(["audit", *asked]) == 0
    (run,) = list_runs()
    app = open_at("pages/compare.py", audit=run.id)
    assert "Widest" in [row for table in app.table for row in table.value.astype(str).to_numpy().ravel()]
    report = tmp_path / "report.html"
    assert main(["report", run.id, "--out", str(report)]) == 0
    assert "The three widest features" in report.read_text()
    capsys.readouterr()
    assert main(["verify", str(report)]) == 0
    assert "Every number agrees." in capsys.readouterr().out
    assert "few-features" in (rerun_command(run.spec) or "")


def test_it_is_offered_on_the_train_page(plugged: Plug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(plugins.METHODS, "few-features", FEW_FEATURES)
    app = train_form(tmp_path, monkeypatch)
    baselines = app.multiselect(key="train-baselines")
    assert "The three widest features" in baselines.options
    baselines.set_value(["few-features"]).run()
    assert not app.exception
    assert "The three widest features" not in app.multiselect(key="train-objectives").options


def test_one_of_our_family_is_offered_as_an_objective(
    plugged: Plug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = FEW_FEATURES.replace(
        "    build=build,", '    family="ours",\n    objective="dF4: keep little",\n    build=build,'
    )
    plugged(plugins.METHODS, "few-features", ours)
    assert "dF4: keep little" in train_form(tmp_path, monkeypatch).multiselect(key="train-objectives").options


def test_it_is_drawn_as_its_family_is_and_called_by_its_short_name(plugged: Plug) -> None:
    plugged(plugins.METHODS, "few-features", FEW_FEATURES)
    assert method_class("few-features").title == "Other"
    assert method_named("few-features").called == "Widest"


def test_it_is_part_of_no_audit_that_does_not_name_it(plugged: Plug) -> None:
    usual = default_methods()
    plugged(
        plugins.METHODS, "few-features", FEW_FEATURES.replace("    build=build,", "    build=build,\n    default=True,")
    )
    assert "few-features" in METHODS
    assert default_methods() == usual


def test_it_cannot_take_the_place_of_one_of_ours(plugged: Plug) -> None:
    plugged(plugins.METHODS, "leace", FEW_FEATURES.replace("few-features", "leace").replace("FEW_FEATURES", "LEACE"))
    assert method_named("leace").title == "LEACE"
    assert len(METHODS) == len(set(METHODS)) == 11


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import no_such_package", "cannot be loaded and is left out: No module named 'no_such_package'"),
        ("FEW_FEATURES = 3", "is left out: it is no Method of that name"),
        (FEW_FEATURES.replace("few-features", "another"), "is left out: it is no Method of that name"),
    ],
)
def test_one_that_is_broken_costs_a_sentence_in_the_log(
    plugged: Plug, caplog: pytest.LogCaptureFixture, code: str, words: str
) -> None:
    with caplog.at_level(logging.WARNING):
        plugged(plugins.METHODS, "few-features", code)
        assert "few-features" not in METHODS
        assert len(METHODS) == 11
    assert [words in record.getMessage() for record in caplog.records] == [True]

"""The Feature lab: set a study up, start it, read what was chosen."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.labs.fairness.paper_data import STUDENT
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.feature_selection.observations import OBSERVATIONS, ObservationSpec
from diffoci.labs.feature_selection.spec import BETAS, LabSpec
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.shift.paper_tables import SHIFT
from diffoci.runs import queue
from diffoci.runs.progress import read_progress
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run, list_runs
from diffoci.ui.runs.live import log_lines, parts_table
from tests.pages.charts import figure_about
from tests.pages.conftest import Open, assert_nothing_technical, shown


def done(**asked: Any) -> Run:
    run = Run.create(FEATURE_LAB, LabSpec(**{"seeds": (0, 1), **asked}))
    assert execute(run, Means(jobs=1)).state == "done"
    return run


def test_a_study_starts_with_what_was_chosen(open_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder, **_: started.append(folder.name))
    app = open_at("pages/feature_lab.py")
    assert_nothing_technical(app)
    assert "Y = sin(X1) + 2 sin(X2) + 3 sin(X3) + noise" in shown(app)
    app.number_input(key="lab-toy1-sigma_x").set_value(0.5).run()
    app.number_input(key="lab-seeds").set_value(2).run()
    app.button(key="lab-start").click().run()
    (run,) = list_runs()
    assert run.id in app.query_params["audit"]
    assert run.spec.knobs == {"sigma_x": 0.5}
    assert run.spec.seeds == (10_000, 10_001)  # on which no setting was tried
    assert started == [run.id]


def test_whoever_comes_from_an_open_audit_finds_the_lab(open_at: Open) -> None:
    audit = Run.create(AUDIT, make_spec("truth", preset="quick", options={"rows": 300}))
    app = open_at("pages/feature_lab.py", audit=audit.id)
    assert_nothing_technical(app)
    assert app.button(key="lab-start")
    assert "cannot be opened" in shown(open_at("pages/feature_lab.py", audit="0" * 32))


def test_any_column_of_a_table_can_be_the_outcome(open_at: Open) -> None:
    app = open_at("pages/feature_lab.py")
    app.selectbox(key="lab-problem").set_value("table").run()
    assert "569 rows, 30 features; malignant is 2 classes" in shown(app)
    app.selectbox(key="lab-outcome-breast-cancer").set_value("mean area").run()
    assert "569 rows, 29 features; mean area is a number" in shown(app)
    assert_nothing_technical(app)


def test_data_that_are_not_here_can_be_fetched(open_at: Open) -> None:
    app = open_at("pages/feature_lab.py")
    app.selectbox(key="lab-problem").set_value("table").run()
    app.selectbox(key="lab-data").set_value("toxicity").run()
    assert "These rows are not on this machine yet" in shown(app)
    assert_nothing_technical(app)


def test_a_finished_study_shows_every_selector_beside_the_paper(open_at: Open) -> None:
    run = done(problem="synthetic", methods=("mean", "FPR", "FOCI", "vec-dF1"))
    app = open_at("pages/feature_lab.py", audit=run.id)
    assert_nothing_technical(app)
    assert "mean squared error" in app.title[0].value
    names = {trace.name for trace in figure_about(app, "Test rows: mean squared error").data}
    assert "the paper" in names
    beside = next(table.value for table in app.table if "Selector" in table.value)["More than the lowest"]
    assert sorted(" to " in cell for cell in beside) == [False, True, True, True]  # of the lowest itself none
    assert figure_about(app, "The 60 curves")
    assert len(figure_about(app, "Size of the weights").data[0].customdata) == 240


def test_repetitions_are_counted_from_one_whatever_their_seeds() -> None:
    run = done(problem="toy1", knobs={"n": 100}, methods=("mean", "full"), seeds=(10_000, 10_001))
    assert sorted(parts_table(read_progress(run.folder))["Repetition"]) == [1, 1, 2, 2]
    assert "repetition 2: done" in " ".join(log_lines(run))


def test_a_feature_that_shows_only_in_a_product_is_marked(open_at: Open) -> None:
    run = done(problem="product", knobs={"n": 1200, "p": 6}, methods=("FWE", "FOCI"))
    app = open_at("pages/feature_lab.py", audit=run.id)
    assert "tests that look for a straight line in one column at a time miss them" in shown(app)
    marked = figure_about(app, "Share of repetitions that chose").layout.xaxis.ticktext
    assert [label for label in marked if label.startswith("★")] == ["★ X1", "★ X2", "★ X3"]


def test_beta_is_drawn_where_several_were_tried(open_at: Open) -> None:
    run = done(problem="toy2", knobs={"n": 200}, methods=("vec-dF1",), seeds=(0,), betas=BETAS, epochs=2)
    app = open_at("pages/feature_lab.py", audit=run.id)
    assert_nothing_technical(app)
    assert figure_about(app, "Beta: how sharp")


def test_observations_are_drawn_with_what_they_say(open_at: Open) -> None:
    run = Run.create(OBSERVATIONS, ObservationSpec(draws=5, n=300))
    assert execute(run, Means(jobs=1)).state == "done"
    app = open_at("pages/feature_lab.py", audit=run.id)
    assert_nothing_technical(app)
    assert "T of sines is larger than T of the columns in" in app.title[0].value
    sines, columns = figure_about(app, "T of Y and functions of three columns").data
    assert sines.x[3] > columns.x[4]
    assert "Report (HTML)" in [one.proto.label for one in app.get("download_button")]


def test_a_fairness_table_starts_with_the_selections_that_are_wanted(
    open_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "start", lambda folder, **_: None)
    app = open_at("pages/feature_lab.py")
    app.selectbox(key="lab-problem").set_value("fairness").run()
    app.selectbox(key="lab-fairness-data").set_value(1).run()
    app.number_input(key="lab-fairness-seeds").set_value(2).run()
    app.button_group(key="lab-fairness-methods").set_value(["FPR", "FOCI"]).run()
    assert_nothing_technical(app)
    app.button(key="lab-start").click().run()
    (run,) = list_runs()
    assert run.study is FAIRNESS_TABLES
    assert (run.spec.data, run.spec.columns, run.spec.seeds) == ("student", ("FPR", "FOCI"), (0, 1))


def test_fairness_figures_stand_beside_the_paper_with_likely_reasons(open_at: Open) -> None:
    spec = STUDENT.spec("quick", methods=("standard",), columns=("FPR",), weights=True, seeds=(0,))
    settings = {
        **spec.settings,
        **{part: {**spec.settings[part], "max_epochs": 1} for part in ("network", "probe", "vec")},
    }
    run = Run.create(FAIRNESS_TABLES, replace(spec, settings=settings, most_rows=150))
    assert execute(run, Means(jobs=1)).state == "done"
    app = open_at("pages/feature_lab.py", audit=run.id)
    assert_nothing_technical(app)
    assert re.fullmatch(r"Of \d+ figures of the paper, \d+ agree with ours and \d+ differ(;.*)?", app.title[0].value)
    assert "the paper" in {trace.name for trace in figure_about(app, "Attribute guessed, test rows").data}
    tables = [table.value for table in app.dataframe if "agreement" in table.value]
    assert "the likely reason" in shown(app) or all("differs" not in set(table["agreement"]) for table in tables)


def test_a_domain_shift_shows_what_is_lost_and_what_the_paper_lost(open_at: Open) -> None:
    asked = SHIFT.plan("quick").asked[-1]
    run = Run.create(asked.study, replace(asked.spec, methods=("random",), seeds=(0,)))
    assert execute(run, Means(jobs=1)).state == "done"
    app = open_at("pages/feature_lab.py", audit=run.id)
    assert_nothing_technical(app)
    assert figure_about(app, "Points less in the other domain")
    assert "CIFAR-10 to CIFAR-10.1" in set(app.dataframe[-2].value["data"])


def test_a_study_that_was_cancelled_is_resumed_where_it_is_shown(
    open_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder, **_: started.append(folder.name))
    run = Run.create(FEATURE_LAB, LabSpec(problem="toy1", methods=("full",), seeds=(0,)))
    run.record("cancelled")
    app = open_at("pages/feature_lab.py", audit=run.id)
    assert "It was cancelled." in shown(app)
    assert "Train page" not in shown(app)
    app.button(key="train-resume").click().run()
    assert started == [run.id]


def test_a_run_of_another_study_is_not_shown(open_at: Open) -> None:
    app = open_at("pages/feature_lab.py", audit="0" * 32)
    assert "cannot be opened" in shown(app)

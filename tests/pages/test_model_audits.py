"""The pages of a model audit: from the columns of a table to criteria, rates at any threshold and a report."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from diffoci.data import lender
from diffoci.data.sources import source_of
from diffoci.model_audit.spec import ModelAuditSpec, ModelSettings, Roles
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.model_audit.compared import compared_words
from diffoci.runs import queue
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run, list_runs
from diffoci.runs.uploads import uploads_of
from diffoci.ui.decisions.compared import compare, weighted
from diffoci.ui.runs.draft import dataset_of
from diffoci.ui.words import plain_markdown
from tests.model_audit.onnx_files import write_onnx, write_sum
from tests.pages.charts import figure_about, figures
from tests.pages.conftest import Open, assert_nothing_technical, finished, numbers, shown
from tests.sample_audit import file_sample, sample

FEW = ModelSettings(rows=200, permutations=19)


def audited(data: str = "lender", **options: int) -> Run:
    spec = ModelAuditSpec(data=data, options=options, roles=Roles(**source_of(data).roles), settings=FEW)
    run = Run.create(MODEL_AUDIT, spec)
    assert execute(run, Means(jobs=1)).state == "done"
    return run


def test_home_leads_to_the_audit_of_a_model(open_at: Open) -> None:
    app = open_at()
    assert "A model's scores" in shown(app)
    app.button(key="open-scores").click().run()
    assert_nothing_technical(app)
    assert app.title[0].value == "Audit a model you have"


def test_a_table_s_roles_are_filled_in_and_the_audit_starts_from_them(
    open_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder, **_: started.append(folder.name))
    app = open_at("pages/scores.py")
    assert_nothing_technical(app)
    assert app.selectbox(key="scores-data").value == "berkeley"
    assert "4,526 people, 1 model, 1 attribute" in shown(app)
    app.button(key="scores-start").click().run()
    (run,) = list_runs()
    assert run.id in app.query_params["audit"]
    assert run.spec.roles.factors == ("department",)
    assert started == [run.id]


def test_real_people_are_not_marked_as_simulated_because_the_open_audit_s_are(open_at: Open) -> None:
    app = open_at("pages/scores.py", audit=finished().id)
    assert app.selectbox(key="scores-data").value == "berkeley"
    assert "SIMULATED DATA" not in shown(app)
    app.selectbox(key="scores-data").set_value("lender").run()
    assert not app.exception
    assert shown(app).count("SIMULATED DATA") == 1


def test_a_column_that_cannot_have_its_role_is_said(open_at: Open) -> None:
    app = open_at("pages/scores.py")
    app.multiselect(key="scores-score-berkeley").set_value(["department"]).run()
    assert "'department' is a factor and cannot have another role as well." in shown(app)
    app.multiselect(key="scores-factors-berkeley").set_value([]).run()
    assert "The score 'department' is not a number in every row" in shown(app)
    assert_nothing_technical(app)


def test_attributes_of_a_second_file_are_joined_on_the_page(open_at: Open) -> None:
    loans = lender.applicants(rows=300).assign(id=np.arange(300)).rename(columns={"score_a": "score"})
    app = open_at("pages/scores.py")
    app.selectbox(key="scores-data").set_value("csv").run()
    table = loans[["id", "score"]].to_csv(index=False).encode()
    app.file_uploader(key="scores-upload").set_value(("scores.csv", table, "text/csv")).run()
    assert "one sensitive attribute" in shown(app)
    people = loans.iloc[5:][["id", "sex"]].to_csv(index=False).encode()
    app.file_uploader(key="scores-second").set_value(("people.csv", people, "text/csv")).run()
    assert_nothing_technical(app)
    assert "295 people, 1 model, 1 attribute" in shown(app)
    assert "5 rows without a partner in the second file are left out" in shown(app)
    nameless = loans[["sex", "age"]].to_csv(index=False).encode()
    app.file_uploader(key="scores-second").set_value(("nobody.csv", nameless, "text/csv")).run()
    assert "no column in common" in shown(app)


def test_a_model_s_file_scores_the_rows_on_the_page_and_what_does_not_fit_is_said(
    open_at: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "start", lambda folder, **_: None)
    write_sum(tmp_path / "sum.onnx", "ability", "age")
    write_sum(tmp_path / "other.onnx", "ability", "income")
    write_onnx(tmp_path / "matrix.onnx")
    app = open_at("pages/scores.py")
    app.selectbox(key="scores-data").set_value("lender").run()

    def bring(name: str, content: bytes | None = None) -> str:
        content = (tmp_path / name).read_bytes() if content is None else content
        app.file_uploader(key="scores-model").set_value((name, content, "application/octet-stream")).run()
        assert_nothing_technical(app)
        return shown(app)

    assert "Not a pickle: opening one runs whatever its author put in it" in shown(app)
    said = bring("model.pkl", pickle.dumps({"a": 1}))
    assert "model.pkl is a pickle: opening one runs whatever its author put in it" in said
    assert "Export the model to ONNX where it was made" in said
    assert "cannot be read as an ONNX model" in bring("broken.onnx", b"nothing")
    assert "takes the columns ability, income, and the table has no income" in bring("other.onnx")
    assert "takes one matrix, called x: name its columns, in its order, below." in bring("matrix.onnx")
    assert "sum.onnx takes the columns ability, age." in bring("sum.onnx")
    assert "1 model" in shown(app)
    app.button(key="scores-start").click().run()
    (run,) = list_runs()
    people = MODEL_AUDIT.load(run.spec)
    expected = people.features["ability"] + people.features["age"]
    assert people.models[0].name == "sum"
    assert np.allclose(np.asarray(people.models[0].score), expected, rtol=1e-5)
    kept = {one.title: one for one in uploads_of()}
    assert set(kept) == {"sum.onnx", "other.onnx", "matrix.onnx"}  # what cannot be read is not kept
    assert kept["sum.onnx"].readers() == (run.folder,)


def test_the_guide_says_which_criteria_matter(open_at: Open) -> None:
    app = open_at("pages/scores.py")
    app.radio(key="scores-guide-label").set_value("no").run()
    assert "Criteria that use the outcome repeat its errors" in shown(app)


def test_criteria_show_every_model_and_what_could_be_done(open_at: Open) -> None:
    run = audited(rows=400)
    app = open_at("pages/criteria.py", audit=run.id)
    assert_nothing_technical(app)
    (first, *_) = compared_words(run.result())
    assert plain_markdown(first) in shown(app)
    assert any({"Criterion", "T of both"} <= set(table.value.columns) for table in app.table)
    names = {trace.name for trace in figure_about(app, "The criteria of a score").data}
    assert {"score_a", "score_b"} <= names
    assert "the outcome is more common in one group than in another" in shown(app)
    assert "may be unlawful" in shown(app)
    assert "SIMULATED DATA" in shown(app)
    app.selectbox(key="attribute").set_value("age").run()
    assert any("by age" in (figure.layout.title.text or "") for figure in figures(app))


def test_berkeley_shows_the_raw_gap_beside_the_one_within_departments(open_at: Open) -> None:
    app = open_at("pages/criteria.py", audit=audited("berkeley").id)
    assert app.title[0].value.startswith("“Male” is selected more often than “Female” under admitted")
    assert "Raw: −14.2 points" in shown(app)


def test_the_slider_moves_the_rates(open_at: Open) -> None:
    run = audited(rows=400)
    app = open_at("pages/decisions.py", audit=run.id)
    assert_nothing_technical(app)
    before = numbers(figure_about(app, "Rates by sex").data[0].x)
    app.toggle(key="moved").set_value(True).run()
    app.slider(key="model-threshold-score_a").set_value(0.8).run()
    assert_nothing_technical(app)
    after = numbers(figure_about(app, "Rates by sex").data[0].x)
    people = MODEL_AUDIT.load(run.spec)
    high = np.asarray(people.models[0].score) >= app.slider(key="model-threshold-score_a").value
    expected = [high[(people.groups["sex"] == sex).to_numpy()].mean() for sex in ("Female", "Male")]
    assert after == pytest.approx(expected)
    assert after != before


def test_many_groups_have_a_row_each_and_the_rates_that_are_chosen(open_at: Open, tmp_path: Path) -> None:
    loans = lender.applicants(rows=600)
    loans["district"] = np.resize(["north", "east", "south", "west", "a*b*", "<i>"], 600)
    loans.to_csv(tmp_path / "loans.csv", index=False)
    roles = Roles(scores=("score_a",), label="repaid", positive="yes", sensitive=("district",))
    spec = ModelAuditSpec(data=f"csv:{tmp_path / 'loans.csv'}", roles=roles, settings=FEW)
    run = Run.create(MODEL_AUDIT, spec)
    assert execute(run, Means(jobs=1)).state == "done"
    app = open_at("pages/decisions.py", audit=run.id)
    assert_nothing_technical(app)
    table = app.table[0].value
    assert len(table) == 6
    assert list(table) == [
        "Group",
        "People",
        "Selected",
        "Selected, of those with the outcome",
        "Selected, of those without the outcome",
    ]
    assert "a\\*b\\*" in set(table["Group"])  # shown letter by letter
    app.multiselect(key="model-measures").set_value(["Decided correctly"]).run()
    rates, against = (one.value for one in app.table[:2])
    assert list(rates) == ["Group", "People", "Decided correctly"]
    assert set(against["Rate"]) == {"Decided correctly"}


def test_the_report_page_offers_the_model_s_report(open_at: Open) -> None:
    app = open_at("pages/report.py", audit=audited("berkeley").id)
    assert_nothing_technical(app)
    assert {"Report (HTML)", "Tables (CSV)", "Card (HTML)"} <= {one.proto.label for one in app.get("download_button")}
    assert "There is no outcome, so nothing is said of mistakes" in shown(app)


def test_a_fairness_audit_is_not_taken_for_a_model_audit(open_at: Open) -> None:
    app = open_at("pages/criteria.py", audit=finished().id)
    assert_nothing_technical(app)
    assert "This page shows another kind of audit." in shown(app)


def test_with_nothing_open_the_criteria_say_what_to_do(open_at: Open) -> None:
    app = open_at("pages/criteria.py")
    assert_nothing_technical(app)
    assert "No audit is open." in shown(app)


def test_two_model_audits_stand_side_by_side_and_two_kinds_do_not(open_at: Open) -> None:
    first, second = audited(rows=400), audited(rows=800)
    app = open_at("pages/two_audits.py", first=first.id, second=second.id)
    assert_nothing_technical(app)
    assert "Female minus Male" in str(figure_about(app, "Gaps in being selected").layout.yaxis.ticktext)
    assert "SIMULATED DATA in both audits" in shown(app)
    app = open_at("pages/two_audits.py", first=first.id, second=finished().id)
    assert_nothing_technical(app)
    assert app.title[0].value == "These are two kinds of audit"
    assert "Choose two of the same kind." in shown(app)


def test_a_model_that_exists_stands_beside_the_methods_trained_on_the_same_rows(open_at: Open) -> None:
    trained = finished(file_sample())
    spec = ModelAuditSpec(data=trained.spec.data, roles=Roles(decisions=("hired",), sensitive=("sex",)), settings=FEW)
    assert execute(Run.create(MODEL_AUDIT, spec), Means(jobs=1)).state == "done"
    app = open_at("pages/decisions.py", audit=trained.id)
    assert_nothing_technical(app)
    assert "hired (as recorded)" in {trace.name for trace in figures(app)[0].data}
    app.multiselect(key="beside-models").set_value([]).run()
    assert "hired (as recorded)" not in {trace.name for trace in figures(app)[0].data}


def test_weights_of_a_survey_are_counted_on_request_and_alike_weights_change_nothing() -> None:
    run, asked = sample(), ({"standard": "Standard"}, ("sex",))
    dataset = dataset_of(run.spec)
    assert weighted(run, dataset, *asked) == {}
    even = weighted(run, replace(dataset, weights=pd.Series(2.0, dataset.label.index)), *asked)["Standard"]
    shares = [[text.partition(" (")[0] for text in even[name]] for name in ("Of the population", "Of the rows")]
    assert shares[0] == shares[1]
    heavy = np.where(dataset.sensitive["sex"] == "F", 1.0, np.arange(len(dataset)) % 7 + 1.0)
    found = weighted(run, replace(dataset, weights=pd.Series(heavy)), *asked)["Standard"]
    men = next(group.n for group in compare(run, dataset, *asked)["Standard"].groups if group.label == "M")
    assert 0 < int(found[found["Group"] == "M"]["Effective people"].iloc[0]) < men

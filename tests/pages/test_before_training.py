"""Proxies and Learn: need no audit, and their controls change what is drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from diffoci.audit.proxies import before_training
from diffoci.runs.store import Run
from diffoci.ui.results import dataset_of_run
from tests.pages.charts import figure_about, figures
from tests.pages.conftest import Open, assert_nothing_technical, finished, shown


def test_proxies_of_an_audits_data(open_at: Open) -> None:
    app = open_at("pages/proxies.py", audit=finished().id)
    assert_nothing_technical(app)
    assert "sex" in app.title[0].value.lower()
    dataset = dataset_of_run(finished())
    views = before_training(dataset)
    for attribute in ("sex", "address"):
        app.selectbox[0].set_value(attribute).run()
        drawn = [x for trace in figure_about(app, "Useful, telling").data for x in trace.x]
        assert sorted(drawn) == pytest.approx(
            sorted(entry["sensitive"][attribute]["T"] for entry in views["columns"].values())
        )
        assert attribute in app.title[0].value.lower()


def test_proxies_of_data_that_were_only_chosen(open_at: Open) -> None:
    app = open_at("pages/proxies.py")
    assert "No data chosen yet" in shown(app)
    app.session_state["draft"] = {"data": "student", "sensitive": ("sex",), "twin": True, "options": {}}
    app.run()
    assert_nothing_technical(app)
    assert len(figures(app)) == 4


def test_a_feature_of_proxies_shows_its_distribution(open_at: Open) -> None:
    app = open_at("pages/proxies.py", audit=finished().id)
    app.selectbox(key="proxy").set_value("freetime").run()
    assert figure_about(app, "freetime (")


def test_knobs_of_known_truth_change_what_can_be_guessed(open_at: Open) -> None:
    app = open_at("pages/learn.py")
    assert_nothing_technical(app)
    for slider in app.slider[:3]:
        slider.set_value(0.0)
    app.run()
    assert app.metric[2].value == "0"
    assert figure_about(app, "Who can guess").data[0].x[2] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("topic", "control", "value"),
    [
        ("What correlation misses", "slider", 1.0),
        ("The soft neighbour", "select_slider", 200.0),
        ("T and its soft twin", "selectbox", "line"),
        ("Why a linear probe is not enough", "slider", 0.0),
    ],
)
def test_every_topic_has_a_question_and_a_live_control(open_at: Open, topic: str, control: str, value: object) -> None:
    app = open_at("pages/learn.py")
    app.button_group[0].set_value(topic).run()
    assert "Try:" in shown(app)
    before = [figure.to_json() for figure in figures(app)]
    getattr(app, control)[0].set_value(value).run()
    assert_nothing_technical(app)
    assert [figure.to_json() for figure in figures(app)] != before


@pytest.mark.parametrize("page", ["pages/proxies.py", "pages/learn.py"])
@pytest.mark.parametrize("state", ["running", "failed", "cancelled", "interrupted", "waiting"])
def test_they_open_whatever_state_the_audit_is_in(
    open_at: Open, audit_in: Callable[[str], Run], page: str, state: str
) -> None:
    app = open_at(page, audit=audit_in(state).id)
    assert_nothing_technical(app)
    assert figures(app)


def test_no_file_that_happens_to_lie_here_is_taken_for_an_audits_data(
    open_at: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished()
    content = json.loads((run.folder / "spec.json").read_text())
    options = {"label": "hired"}
    content["spec"] |= {"data": "csv:people.csv", "twin": False, "options": options}
    (run.folder / "spec.json").write_text(json.dumps(content))
    (tmp_path / "people.csv").write_text("a,sex,address,hired\n" + "1,F,U,yes\n2,M,R,no\n" * 60)
    monkeypatch.chdir(tmp_path)
    app = open_at("pages/proxies.py", audit=run.id)
    assert_nothing_technical(app)
    assert "are not on this machine" in shown(app)
    assert not figures(app)


def test_proxies_of_data_that_changed_are_not_shown_as_the_audits(open_at: Open) -> None:
    run = finished()
    plan = json.loads(run.plan_file.read_text())
    run.plan_file.write_text(json.dumps({**plan, "sha256": "0" * 64}))
    app = open_at("pages/proxies.py", audit=run.id)
    assert "The data changed since this audit was made" in shown(app)
    assert not figures(app)

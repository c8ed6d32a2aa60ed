"""Compare, Features and Decisions: open in every state, and each control changes the figure as it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from diffoci.figures.reading import SHORT
from diffoci.runs.scores import read_scores
from diffoci.runs.store import Run
from diffoci.ui.draft import dataset_of
from tests.pages.charts import figure_about, figures
from tests.pages.conftest import FAILURE, STATES, Open, assert_nothing_technical, finished, shown

PAGES = ("pages/compare.py", "pages/features.py", "pages/decisions.py")


@pytest.mark.parametrize("page", [*PAGES, "pages/proxies.py", "pages/learn.py"])
def test_opens_with_nothing_chosen(open_at: Open, page: str) -> None:
    app = open_at(page)
    assert_nothing_technical(app)
    assert shown(app)


@pytest.mark.parametrize("page", [*PAGES, "pages/proxies.py"])
@pytest.mark.parametrize("audit", ["0" * 32, "../../etc", "<script>"])
def test_opens_with_an_unknown_id(open_at: Open, page: str, audit: str) -> None:
    app = open_at(page, audit=audit)
    assert_nothing_technical(app)
    assert not figures(app)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("state", STATES)
def test_says_where_an_audit_stands(open_at: Open, audit_in: Callable[[str], Run], page: str, state: str) -> None:
    app = open_at(page, audit=audit_in(state).id)
    assert_nothing_technical(app)
    assert bool(figures(app)) == (state == "done")
    if state == "failed":
        assert FAILURE in shown(app)


def leak(run: Run, attribute: str, place: str) -> dict[str, Any]:
    return run.result()["methods"][0]["leakage"]["by_attribute"][attribute][place]


def test_compare_follows_its_three_switches(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/compare.py", audit=run.id)
    place, score, attribute = app.selectbox

    def drawn() -> float:
        figure = figure_about(app, "Predicting y")
        return next(trace for trace in figure.data if trace.meta == "standard").x[0]

    assert drawn() == leak(run, "sex", "representation")["auc"]["mean"]
    score.set_value("accuracy").run()
    assert drawn() == leak(run, "sex", "representation")["accuracy"]["mean"]
    place.set_value("last_layer").run()
    assert drawn() == leak(run, "sex", "last_layer")["accuracy"]["mean"]
    attribute.set_value("address").run()
    assert drawn() == leak(run, "address", "last_layer")["accuracy"]["mean"]
    assert "address" in app.title[0].value.lower()


def test_compare_says_its_verdict_and_shows_the_table(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/compare.py", audit=run.id)
    methods = [SHORT.get(one["name"], one["name"]) for one in run.result()["methods"]]
    assert app.dataframe[0].value["Method"].tolist() == methods
    assert any(words in shown(app) for words in ("guessable", "not detected above chance", "too few people to say"))
    assert figure_about(app, "Probe by probe")
    assert figure_about(app, "What a larger weight")


def test_the_cutoff_drops_features_at_once(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/features.py", audit=run.id)
    values = np.abs(run.result()["features"]["conditions"][0]["values"])
    for cutoff in (0.1, 0.5, 2.0):
        app.slider[0].set_value(cutoff).run()
        text = figure_about(app, "Weight θ").data[0].text
        dropped = int(((values <= cutoff).mean(axis=0) > 0.5).sum())
        assert sum("✕" in one for one in text) == dropped
        assert f"{dropped} given nothing" in app.title[0].value


def test_a_feature_opens_with_its_coefficients_and_distribution(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/features.py", audit=run.id)
    app.selectbox(key="feature").set_value("studytime").run()
    exact = run.result()["features"]["exact"]["columns"]["studytime"]["sensitive"]["sex"]
    assert app.metric[0].value == f"{exact['T']:.3f}"
    assert figure_about(app, "studytime")


def test_the_threshold_decides_who_is_selected(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/decisions.py", audit=run.id)
    scores = read_scores(run, run.result(), "standard")
    group = dataset_of(run.spec).sensitive["sex"].to_numpy()[scores.rows]
    for threshold in (0.5, 0.3):
        app.slider(key="threshold").set_value(threshold).run()
        drawn = figure_about(app, "Rates by sex").data[0].x
        expected = [(scores.score[group == level] >= threshold).mean() for level in ("M", "F")]
        assert list(drawn) == pytest.approx(expected)


def test_each_group_can_have_its_own_threshold(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/decisions.py", audit=run.id)
    app.toggle[0].set_value(True).run()
    app.slider(key="threshold-sex-0").set_value(0.0).run()
    app.slider(key="threshold-sex-1").set_value(1.0).run()
    drawn = figure_about(app, "Rates by sex").data[0].x
    assert drawn[1] == 1.0  # F, listed from below
    assert drawn[0] < 0.1


def test_the_laws_table_is_of_selections_or_of_scores(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/decisions.py", audit=run.id)
    assert "Selection rate" in app.dataframe[-1].value
    app.toggle(key="law-scoring").set_value(True).run()
    assert_nothing_technical(app)
    table = app.dataframe[-1].value
    scores = read_scores(run, run.result(), "dF3+penalty")
    group = dataset_of(run.spec).sensitive["sex"].to_numpy()[scores.rows]
    above = scores.score > np.median(scores.score)
    assert table.set_index("Category")["Above the median"].to_dict() == {
        level: int(above[group == level].sum()) for level in ("F", "M")
    }


def test_small_groups_are_listed_as_not_judged(open_at: Open) -> None:
    app = open_at("pages/decisions.py", audit=finished().id)
    app.selectbox[2].set_value(("sex", "address")).run()
    assert "people: not judged" in shown(app)
    assert "sex × address" in figure_about(app, "Rates by").layout.title.text
    assert_nothing_technical(app)

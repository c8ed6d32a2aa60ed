"""Compare, Features and Decisions: open in every state, and each control changes the figure as it says."""

from __future__ import annotations

import html
from collections.abc import Callable

import numpy as np
import pytest
import streamlit

from diffoci.audit.decisions.scores import read_scores
from diffoci.audit.result import Guessed, Place
from diffoci.audit.words import probe_title
from diffoci.runs import queue
from diffoci.runs.files import write_json
from diffoci.runs.store import Run
from diffoci.ui import charts
from diffoci.ui.runs.draft import dataset_of
from diffoci.ui.runs.findings import headline_of
from tests.pages.charts import figure_about, figures
from tests.pages.conftest import FAILURE, STATES, Open, assert_nothing_technical, finished, numbers, shown
from tests.plain_result import changed, plain

PAGES = ("pages/compare.py", "pages/features.py", "pages/decisions.py")


@pytest.mark.parametrize(
    ("page", "words"),
    [*((page, "No audit is open.") for page in PAGES), ("pages/proxies.py", "No data chosen yet.")],
)
def test_with_nothing_chosen_it_says_what_to_do(open_at: Open, page: str, words: str) -> None:
    app = open_at(page)
    assert_nothing_technical(app)
    assert words in shown(app)
    assert {"Choose data", "Choose data for a new audit"} & {one.proto.label for one in app.get("page_link")}


@pytest.mark.parametrize("page", [*PAGES, "pages/proxies.py"])
@pytest.mark.parametrize("audit", ["0" * 32, "../../etc", "<script>"])
def test_an_unknown_id_is_said_whatever_data_were_chosen(open_at: Open, page: str, audit: str) -> None:
    app = open_at(page, audit=audit)
    app.session_state["draft"] = {"data": "student", "sensitive": ("sex",), "twin": True, "options": {}}
    app.run()
    assert_nothing_technical(app)
    assert "This audit cannot be opened." in shown(app)
    assert not figures(app)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("state", STATES)
def test_says_where_an_audit_stands(open_at: Open, audit_in: Callable[[str], Run], page: str, state: str) -> None:
    app = open_at(page, audit=audit_in(state).id)
    assert_nothing_technical(app)
    assert bool(figures(app)) == (state == "done")
    words = {
        "running": "This audit is still running.",
        "failed": FAILURE,
        "cancelled": "This audit was cancelled.",
        "interrupted": "This audit was interrupted.",
        "waiting": "This audit was never started.",
    }
    if state != "done":
        assert words[state] in shown(app)


@pytest.mark.parametrize("page", PAGES)
def test_an_audit_in_the_queue_waits_for_its_turn_whatever_it_was_before(
    open_at: Open, audit_in: Callable[[str], Run], page: str
) -> None:
    running, resumed = audit_in("running"), audit_in("cancelled")
    queue.enqueue(resumed)
    app = open_at(page, audit=resumed.id)
    assert running.is_running()
    assert "This audit is waiting for its turn." in shown(app)
    assert "was cancelled" not in shown(app)
    queue.withdraw(resumed)


@pytest.mark.parametrize("page", PAGES)
def test_an_audit_without_any_number_says_so(open_at: Open, page: str) -> None:
    run = finished()
    lacking = changed(run.result(), lambda content: content.update(methods=[], curve={}))
    write_json(run.result_file, plain(lacking))
    app = open_at(page, audit=run.id)
    assert_nothing_technical(app)
    assert ("No method finished" in shown(app)) == (page != "pages/features.py")
    assert headline_of(run) == "No method finished; every one of them failed."


def leak(run: Run, attribute: str, place: Place) -> Guessed:
    found: Guessed = run.result().methods[0].leakage.by_attribute[attribute][place]
    return found


def test_compare_follows_its_three_switches(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/compare.py", audit=run.id)
    place, score, attribute, _ = app.selectbox

    def drawn() -> float:
        figure = figure_about(app, "Predicting the outcome")
        return next(trace for trace in figure.data if trace.meta == "standard").x[0]

    assert drawn() == leak(run, "sex", "representation").auc.mean
    score.set_value("accuracy").run()
    assert drawn() == leak(run, "sex", "representation").accuracy.mean
    place.set_value("last_layer").run()
    assert drawn() == leak(run, "sex", "last_layer").accuracy.mean
    assert "last layer" in app.title[0].value
    attribute.set_value("address").run()
    assert drawn() == leak(run, "address", "last_layer").accuracy.mean
    assert "address" in app.title[0].value.lower()
    score.set_value("balanced_accuracy").run()
    assert drawn() == leak(run, "address", "last_layer").balanced_accuracy.mean
    of_probes = {trace.name: trace.x[-1] for trace in figure_about(app, "Probe by probe").data}  # standard is on top
    told = leak(run, "address", "last_layer").probes
    assert of_probes == {probe_title(name): rates.balanced_accuracy.mean for name, rates in told.items()}
    first = run.result().curve["dF3+penalty"][0].leakage.by_attribute["address"]["last_layer"]
    line = next(
        trace for trace in figure_about(app, "What a larger").data if str(trace.name).startswith("dF3 with penalty")
    )
    assert line.x[0] == first.balanced_accuracy.mean


def test_compare_says_its_verdict_and_shows_the_table(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/compare.py", audit=run.id)
    assert app.table[0].value["Method"].tolist() == [one.called for one in run.result().methods]
    assert any(words in shown(app) for words in ("guessable", "not detected above chance", "too few people to say"))


def test_compare_says_and_draws_the_method_that_is_chosen(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/compare.py", audit=run.id)
    for method in run.result().methods:
        app.selectbox(key="method").set_value(method.name).run()
        assert_nothing_technical(app)
        assert method.title in html.unescape(app.info[-1].value.replace("\\", ""))
        marks = [trace for trace in figure_about(app, "Predicting the outcome").data if trace.meta]
        assert [mark.meta for mark in marks if mark.error_y.array is not None] == [method.name]


ADDRESSES = {
    "pages/compare.py": {
        "attribute": "address",
        "place": "The classifier's last layer",
        "score": "Accuracy",
        "method": "LEACE",
    },
    "pages/features.py": {"cutoff": "0.5", "trained": "accounting for sex", "feature": "studytime"},
    "pages/decisions.py": {"one": "LEACE", "another": "Standard data", "by": "sex × address", "threshold": "0.3"},
    "pages/proxies.py": {"attribute": "address"},
}


@pytest.mark.parametrize("page", ADDRESSES)
def test_a_link_to_a_view_opens_that_view(open_at: Open, page: str) -> None:
    app = open_at(page, audit=finished().id, **ADDRESSES[page])
    assert_nothing_technical(app)
    for name, text in ADDRESSES[page].items():
        widget = app.slider(key=name) if name in ("cutoff", "threshold") else app.selectbox(key=name)
        chosen = str(widget.value) if name in ("cutoff", "threshold") else widget.format_func(widget.value)
        assert text in chosen
        assert app.query_params[name]
    assert app.query_params["audit"] == finished().id


@pytest.mark.parametrize("page", ADDRESSES)
@pytest.mark.parametrize("value", ["", "<script>", "NaN", "1e999", "-3", "../../etc", "x" * 5000])
def test_a_bad_value_in_the_address_leaves_the_usual_view(open_at: Open, page: str, value: str) -> None:
    usual = open_at(page, audit=finished().id)
    app = open_at(page, audit=finished().id, **dict.fromkeys(ADDRESSES[page], value))
    assert_nothing_technical(app)
    assert [one.value for one in app.selectbox] == [one.value for one in usual.selectbox]
    assert [one.value for one in app.slider] == [one.value for one in usual.slider]
    assert list(app.query_params) == ["audit"]


def test_the_cutoff_drops_features_at_once(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/features.py", audit=run.id)
    values = np.abs(run.result().features.conditions[0].values)
    for cutoff in (0.1, 0.5, 2.0):
        app.slider[0].set_value(cutoff).run()
        text = figure_about(app, "Weight θ").data[0].text
        dropped = int(((values <= cutoff).mean(axis=0) > 0.5).sum())
        assert sum("✕" in one for one in text) == dropped
        assert f"{dropped} without" in app.title[0].value


def test_a_feature_opens_with_its_coefficients_and_distribution(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/features.py", audit=run.id)
    app.selectbox(key="feature").set_value("studytime").run()
    told = run.result().features.exact.columns["studytime"].sensitive
    assert app.metric[0].value == f"{told['sex'].T:.3f}"
    drawn = figure_about(app, "studytime")
    app.selectbox(key="feature-attribute").set_value("address").run()
    assert app.metric[0].value == f"{told['address'].T:.3f}"
    groups = {str(trace.name).split(" ")[0] for trace in figure_about(app, "studytime").data}
    assert groups != {str(trace.name).split(" ")[0] for trace in drawn.data}


def test_the_weights_are_those_of_the_condition_chosen(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/features.py", audit=run.id)
    for k, condition in enumerate(run.result().features.conditions):
        next(box for box in app.selectbox if box.label == "Trained").set_value(k).run()
        mean = np.mean(condition.values, axis=0)
        assert sorted(numbers(figure_about(app, "Weights θ").data[0].y)) == pytest.approx(sorted(mean))


def test_a_clicked_bar_opens_its_feature_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    state = {"matrix": {"selection": {"points": [{"customdata": "freetime"}]}}, "dots": {"selection": {"points": []}}}
    monkeypatch.setattr(streamlit, "session_state", state)
    for _ in range(2):
        charts._tell_click("matrix", told.append)
    charts._tell_click("dots", told.append)  # let go of
    assert told == ["freetime", "freetime"]


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


def test_the_methods_chosen_are_the_ones_drawn(open_at: Open) -> None:
    run = finished()
    app = open_at("pages/decisions.py", audit=run.id)
    one, other = (next(box for box in app.selectbox if box.label == f"{which} method") for which in ("One", "Another"))
    names = [one.name for one in run.result().methods][-2:]
    one.set_value(names[0])
    other.set_value(names[1]).run()
    group = dataset_of(run.spec).sensitive["sex"].to_numpy()
    rates = figure_about(app, "Rates by sex").data
    for trace, name in zip([rates[0], rates[len(rates) // 2]], names, strict=True):  # each method's first rate
        scores = read_scores(run, run.result(), name)
        expected = [(scores.score[group[scores.rows] == level] >= 0.5).mean() for level in ("M", "F")]
        assert list(trace.x) == pytest.approx(expected)


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
    scores = read_scores(run, run.result(), run.result().findings.chosen)  # the one to speak of beside the data
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

"""Learn: a reader answers first, then sees what the library computes live; the address keeps topic and knobs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.audit.teaching import coefficients as teaching
from diffoci.audit.teaching.groups import base_rates, many_columns
from diffoci.audit.teaching.objectives import candidates, preferred
from diffoci.ui.lessons import TOPICS
from tests.pages.charts import figure_about, figures
from tests.pages.conftest import ROOT, assert_nothing_technical, numbers, shown

# The right answer where every knob stands as it begins.
ANSWERS = {
    "Why dropping the column is not enough": "much further",
    "Known truth": "the trees",
    "Why a linear probe is not enough": "only the trees see it",
    "Accuracy against base rate": "1 to 10 points",
    "What correlation misses": "parabola",
    "The soft neighbour": "a quarter to a half",
    "T and its soft twin": "from 10 to 50",
    "T given S": "postcode (trace of the group)",
    "What dF1, dF2 and dF3 ask for": "skill (differs within groups)",
}


def opened(topic: str | None = None, knobs: Mapping[str, str] | None = None) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/learn.py")
    for name, value in {**({} if topic is None else {"topic": topic}), **(knobs or {})}.items():
        app.query_params[name] = value
    return app.run()


def answered(app: AppTest, answer: str) -> AppTest:
    app.radio[0].set_value(answer).run()
    next(button for button in app.button if "my answer" in button.label).click().run()
    return app


def said(app: AppTest) -> str:
    return " ".join(block.value for block in (*app.success, *app.info))


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_shows_nothing_before_an_answer_and_then_says_what_is_right(topic: str) -> None:
    app = opened(topic)
    assert app.header[0].value == topic
    assert app.latex
    assert not figures(app)
    assert not app.metric
    answered(app, ANSWERS[topic])
    assert_nothing_technical(app)
    assert f"You said “{ANSWERS[topic]}”, and that is right." in said(app)
    assert "Try:" in said(app)
    assert figures(app)


def test_a_wrong_answer_is_told_the_right_one_and_may_be_given_again() -> None:
    app = answered(opened("T given S"), "salary (both)")
    assert "You said “salary (both)”. The answer is: **postcode (trace of the group)**." in said(app)
    next(button for button in app.button if button.label == "Ask me again").click().run()
    assert app.radio[0].value is None
    assert not figures(app)


def test_what_many_columns_tell_is_computed_by_the_library() -> None:
    app = answered(opened(knobs={"columns": "8", "strength": "0.35"}), "much further")
    found = many_columns(8, 0.35)
    assert f"Alone {found.alone.max():.2f}, together {found.together[-1]:.2f}, at most" in said(app)
    assert [metric.value for metric in app.metric] == [f"{100 * rate:.1f} %" for rate in found.selected.values()]
    assert numbers(figures(app)[0].data[1].y) == pytest.approx(list(found.together))


def test_a_gain_over_the_base_rate_is_computed_by_the_library() -> None:
    app = answered(opened("Accuracy against base rate", {"share": "0.95"}), "less than 1 point")
    found = base_rates(1.0)
    assert "and that is right" in said(app)
    assert f"Right for {100 * found.accuracy[-1]:.1f} %, against {100 * found.largest[-1]:.1f} %" in said(app)
    assert max(found.auc) - min(found.auc) < 0.03


def test_the_columns_that_objectives_choose_are_the_librarys() -> None:
    app = answered(opened("What dF1, dF2 and dF3 ask for", {"direct": "2.0", "weight": "0.5"}), "salary (both)")
    found = candidates(2.0, 1.0)
    assert preferred(found, "dF1", 0.5).name == "postcode (trace of the group)"
    assert f"Its T(y, z | S) is {preferred(found, 'dF3', 0.5).T_y_given:.2f}" in said(app)
    assert [numbers(bar.y)[0] for bar in figures(app)[0].data] == pytest.approx([one.T_y for one in found])


def test_the_knobs_of_an_address_are_those_of_the_page() -> None:
    app = answered(opened("The soft neighbour", {"beta": "20.0", "point": "3"}), "more than three quarters")
    found = teaching.soft_neighbours(20.0, point=2)
    assert app.select_slider[0].value == 20.0
    assert f"The nearest point counts {100 * found.weight[found.nearest]:.0f} %." in said(app)


@pytest.mark.parametrize("bad", ["nan", "inf", "-7", "many", "", "0.3; DROP", "1e400"])
def test_what_no_knob_can_have_falls_back(bad: str) -> None:
    app = opened("no such topic", {"columns": bad, "strength": bad, "mean": bad})
    assert_nothing_technical(app)
    assert app.header[0].value == next(iter(TOPICS))
    columns, strength = (slider.value for slider in app.slider)
    assert columns in (1, 12, 30)
    assert strength in (0.0, 0.3, 1.0)
    assert "the most telling of these" in app.radio[0].label


def test_the_answers_of_readers_are_no_part_of_the_address() -> None:
    app = answered(opened("Known truth"), "the trees")
    assert "trees" not in str(app.query_params)
    assert "AUC of the linear probe" in shown(app)


def test_knobs_of_known_truth_change_what_can_be_guessed() -> None:
    app = answered(opened("Known truth"), "the trees")
    for slider in app.slider[:3]:
        slider.set_value(0.0)
    app.run()
    assert "The answer is: **both the same, within 0.02**" in said(app)
    assert app.metric[2].value == "0"
    assert figure_about(app, "Who can guess").data[0].x[2] == pytest.approx(0.5, abs=0.01)

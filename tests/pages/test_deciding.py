"""A column that decides the outcome is asked about before training, and left out by one click."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from tests.pages.conftest import Open, assert_nothing_technical, shown
from tests.pages.test_data import kept, uploaded


def people(**columns: object) -> bytes:
    rng = np.random.default_rng(0)
    score = rng.random(200)
    base = {"age": rng.integers(18, 80, 200), "city": rng.choice(["a", "b", "c"], 200), "score <b>": score}
    roles = {"sex": rng.choice(["f", "m"], 200), "hired": np.where(score > 0.6, "yes", "no")}
    return pd.DataFrame({**base, **columns, **roles}).to_csv(index=False).encode()


def with_roles(app: AppTest, content: bytes) -> AppTest:
    uploaded(app, content)
    next(box for box in app.selectbox if str(box.key).startswith("data-label")).set_value("hired").run()
    return next(box for box in app.multiselect if str(box.key).startswith("data-sensitive")).set_value(["sex"]).run()


def answers(app: AppTest, word: str) -> list[Button]:
    return [button for button in app.button if str(button.label).startswith(word)]


QUESTION = "'score <b>' decides 'hired' by itself"


def test_the_data_page_asks_and_one_click_leaves_it_out(open_at: Open) -> None:
    app = with_roles(open_at("pages/data.py"), people())
    assert_nothing_technical(app)
    assert QUESTION in shown(app)
    assert "Leave it out?" in shown(app)
    (button,) = answers(app, "Leave out")
    button.click().run()
    assert_nothing_technical(app)
    assert QUESTION not in shown(app)
    draft = kept(app)
    assert draft is not None
    assert draft.options["drop"] == ["score <b>"]
    drop = next(box for box in app.multiselect if str(box.key).startswith("data-drop"))
    assert drop.value == ["score <b>"]
    later = kept(uploaded(open_at("pages/data.py"), people(age=range(200)), "next quarter.csv"))
    assert later is not None
    assert later.options["drop"] == ["score <b>"]
    drop.set_value([]).run()  # taken back by hand: asked again
    assert QUESTION in shown(app)


def test_the_train_page_asks_too(open_at: Open) -> None:
    app = with_roles(open_at("pages/data.py"), people()).switch_page("pages/train.py").run()
    assert QUESTION in shown(app)
    answers(app, "Leave out")[0].click().run()
    assert_nothing_technical(app)
    assert QUESTION not in shown(app)
    draft = kept(app)
    assert draft is not None
    assert draft.options["drop"] == ["score <b>"]
    app.switch_page("pages/data.py").run()
    drop = next(box for box in app.multiselect if str(box.key).startswith("data-drop"))
    assert drop.value == ["score <b>"]
    later = kept(uploaded(open_at("pages/data.py"), people(age=range(200)), "next quarter.csv"))
    assert later is not None
    assert later.options["drop"] == ["score <b>"]


def test_whoever_keeps_it_is_not_asked_again(open_at: Open) -> None:
    app = with_roles(open_at("pages/data.py"), people())
    answers(app, "Keep")[0].click().run()
    assert QUESTION not in shown(app)
    assert QUESTION not in shown(app.switch_page("pages/train.py").run())


def test_the_label_under_another_name_is_left_out_by_one_click_too(open_at: Open) -> None:
    first = pd.read_csv(BytesIO(people()))
    copied = people(outcome=np.where(first["hired"] == "yes", "ok", "nil"))
    app = with_roles(open_at("pages/data.py"), copied)
    assert_nothing_technical(app)
    assert "Column 'outcome' says the same as the outcome 'hired' in every row" in shown(app)
    answers(app, "Leave out")[0].click().run()
    draft = kept(app)
    assert draft is not None
    assert draft.options["drop"] == ["outcome"]
    assert "says the same" not in shown(app)
    assert QUESTION in shown(app)


@pytest.mark.parametrize("page", ["pages/data.py", "pages/train.py"])
def test_nothing_is_asked_where_no_column_decides(open_at: Open, page: str) -> None:
    app = open_at(page)
    app.session_state["draft"] = {"data": "student", "sensitive": ("sex",), "twin": True, "options": {}}
    assert "by itself" not in shown(app.run())

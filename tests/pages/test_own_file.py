"""One's own file on Data: seen at once, advised on, remembered, and of use without an outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from diffoci.ui import signin
from tests.pages.charts import figures, wrapped
from tests.pages.conftest import Open, assert_nothing_technical, shown
from tests.pages.test_data import PAGE, kept, uploaded

ROWS = 200


def applications(seed: int = 0, **columns: object) -> bytes:
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], ROWS)
    frame = pd.DataFrame(
        {
            "application_id": np.arange(ROWS) + 1,
            "postcode": rng.choice([10115, 10117, 10119, 10178], ROWS),
            "height": rng.normal(165 + 13 * (sex == "m"), 6),
            "sex": sex,
            "granted": rng.choice(["yes", "no"], ROWS),
            **columns,
        }
    )
    return frame.to_csv(index=False).encode()


def field(app: AppTest, kind: str, name: str) -> Any:
    return next(box for box in app.get(kind) if str(box.key).startswith(f"data-{name}-"))


def advice_buttons(app: AppTest) -> dict[str, Any]:
    return {str(one.key).split("-", 3)[3]: one for one in app.button if str(one.key).startswith("data-advice-")}


def test_the_first_rows_are_there_before_anything_is_asked(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), applications())
    assert_nothing_technical(app)
    assert app.dataframe[0].value["application_id"].tolist() == ["1", "2", "3", "4", "5"]
    assert "200 rows, 5 columns; the first 5 are shown." in shown(app)
    assert kept(app) is None


def test_advice_is_open_and_its_button_takes_it(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), applications())
    assert "**application_id** counts the rows: leave it out." in shown(app)
    assert "**postcode** looks like a code, not a quantity: treat it as categories." in shown(app)
    advice_buttons(app)["application_id"].click().run()
    assert list(advice_buttons(app)) == ["postcode"]
    advice_buttons(app)["postcode"].click().run()
    assert not advice_buttons(app)
    field(app, "selectbox", "label").set_value("granted").run()
    field(app, "multiselect", "sensitive").set_value(["sex"]).run()
    assert_nothing_technical(app)
    draft = kept(app)
    assert draft is not None
    assert draft.options["drop"] == ["application_id"]
    assert draft.options["kinds"] == {"postcode": "nominal"}
    field(app, "multiselect", "drop").set_value([]).run()  # what was taken can be undone
    assert list(advice_buttons(app)) == ["application_id"]


def test_no_advice_on_a_column_that_has_a_role(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), applications())
    field(app, "multiselect", "sensitive").set_value(["application_id"]).run()
    field(app, "selectbox", "label").set_value("postcode").run()
    assert not advice_buttons(app)


def test_what_reveals_an_attribute_can_be_asked_without_an_outcome(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), applications())
    field(app, "multiselect", "sensitive").set_value(["sex"]).run()
    assert_nothing_technical(app)
    assert "200 people" in app.title[0].value
    assert "Outcome: none yet" in shown(app)
    links = [one.proto.label for one in app.get("page_link")]
    assert "Next: which columns reveal it?" in links
    assert "Run the audit" not in links
    app.switch_page("pages/proxies.py").run()
    assert_nothing_technical(app)
    assert app.title[0].value.startswith("1 of 4 columns reveals sex: height")
    assert len(figures(app)) == 4
    table = wrapped(app, "Kind").set_index("Column")
    assert table.loc["height", "Kind"] == "revealing"
    assert "drop these first" not in "".join(figure.to_json() for figure in figures(app))
    app.switch_page("pages/train.py").run()
    assert_nothing_technical(app)
    assert "An audit needs an outcome." in shown(app)
    assert "train-start" not in [one.key for one in app.button]


def test_roles_are_proposed_again_for_the_next_file_of_the_same_columns(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), applications())
    field(app, "selectbox", "label").set_value("granted").run()
    field(app, "selectbox", "positive").set_value("no").run()
    field(app, "multiselect", "sensitive").set_value(["sex"]).run()
    advice_buttons(app)["postcode"].click().run()
    advice_buttons(app)["application_id"].click().run()
    before = kept(app)
    assert before is not None
    after = uploaded(open_at(PAGE), applications(seed=1), "next quarter.csv")  # another session
    assert_nothing_technical(after)
    assert "These are the roles you chose for the last file with these columns." in shown(after)
    draft = kept(after)
    assert draft is not None
    assert draft.data != before.data
    assert (draft.sensitive, draft.options) == (before.sensitive, before.options)
    field(after, "multiselect", "drop").set_value([]).run()
    assert "These are the roles you chose" not in shown(after)
    other = uploaded(open_at(PAGE), applications(seed=2, more=1.5), "another.csv")
    assert kept(other) is None


def test_somebody_elses_roles_are_not_proposed(open_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = uploaded(open_at(PAGE), applications())
    field(app, "multiselect", "sensitive").set_value(["sex"]).run()
    monkeypatch.setattr(signin, "owner", lambda: "bob")
    assert kept(uploaded(open_at(PAGE), applications(seed=1))) is None

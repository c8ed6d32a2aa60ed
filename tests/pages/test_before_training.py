"""Proxies and Learn: need no audit, and their controls change what is drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.audit.before_training.proxies import before_training
from diffoci.runs.store import Run
from diffoci.ui.runs.rows import dataset_of_run
from tests.pages.charts import figure_about, figures, wrapped
from tests.pages.conftest import Open, assert_nothing_technical, finished, shown


def test_proxies_of_an_audits_data(open_at: Open) -> None:
    app = open_at("pages/proxies.py", audit=finished().id)
    assert_nothing_technical(app)
    assert "sex" in app.title[0].value.lower()
    dataset = dataset_of_run(finished())
    found = before_training(dataset)
    for attribute in ("sex", "address"):
        app.selectbox[0].set_value(attribute).run()
        drawn = [x for trace in figure_about(app, "Useful, revealing").data for x in trace.x]
        of_columns = found.attributes[attribute].columns.values()
        assert sorted(drawn) == pytest.approx(sorted(one.auc for one in of_columns if one.auc is not None))
        assert attribute in app.title[0].value.lower()


def test_proxies_of_data_that_were_only_chosen(open_at: Open) -> None:
    app = open_at("pages/proxies.py")
    assert "No data chosen yet" in shown(app)
    app.session_state["draft"] = {"data": "student", "sensitive": ("sex",), "twin": True, "options": {}}
    app.run()
    assert_nothing_technical(app)
    assert len(figures(app)) == 4


def test_of_known_truth_pairs_are_named_and_what_is_there_stands_beside(open_at: Open) -> None:
    app = open_at("pages/proxies.py")
    app.session_state["draft"] = {"data": "truth", "sensitive": ("group",), "twin": False, "options": {"rows": 1500}}
    app.run()
    assert_nothing_technical(app)
    title = app.title[0].value.replace("\\", "")
    assert title.startswith("2 of 9 columns reveal group: ")
    assert title.endswith("; only together: interaction_a with interaction_b")
    assert "What is there, and what was found" in shown(app)
    assert "harmless" not in shown(app)
    table, pairs = wrapped(app, "About group"), app.dataframe[0].value
    assert table.columns[1] == "About group"
    said = table.set_index("Column")["About group"]
    assert said["interaction_a"] == "reveals together with interaction_b"
    assert said["irrelevant_1"].startswith("not detected here (an AUC of 0.")
    assert pairs["Together with"].tolist() == ["interaction_b"]


def test_a_feature_of_proxies_shows_its_distribution(open_at: Open) -> None:
    app = open_at("pages/proxies.py", audit=finished().id)
    app.selectbox(key="proxy").set_value("freetime").run()
    assert figure_about(app, "freetime (")


@pytest.mark.parametrize("page", ["pages/proxies.py", "pages/learn.py"])
@pytest.mark.parametrize("state", ["running", "failed", "cancelled", "interrupted", "waiting"])
def test_they_open_whatever_state_the_audit_is_in(
    open_at: Open, audit_in: Callable[[str], Run], page: str, state: str
) -> None:
    app = open_at(page, audit=audit_in(state).id)
    assert_nothing_technical(app)
    assert figures(app) or app.radio  # Learn asks before it draws


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
    assert_only_what_was_stored(app)


def test_proxies_of_data_that_changed_are_not_shown_as_the_audits(open_at: Open) -> None:
    run = finished()
    plan = json.loads(run.plan_file.read_text())
    run.plan_file.write_text(json.dumps({**plan, "sha256": "0" * 64}))
    app = open_at("pages/proxies.py", audit=run.id)
    assert "The data changed since this audit was made" in shown(app)
    assert_only_what_was_stored(app)


def assert_only_what_was_stored(app: AppTest) -> None:
    assert len(figures(app)) == 2
    assert "As the audit stored it" in shown(app)
    assert "A closer look" not in shown(app)

"""Of generated data, what is there by construction stands beside what was found on every page of an audit."""

from __future__ import annotations

import shutil

import pytest

from diffoci.data.sources import known_truth
from diffoci.figures.known_truth import TELLS
from diffoci.runs.store import Run, runs_root
from tests.pages.charts import figure_about, wrapped
from tests.pages.conftest import Open, assert_nothing_technical, finished, shown
from tests.sample_audit import truth_sample

HEADING = "What is there, and what was found"


def truth_audit() -> Run:
    run = truth_sample()
    shutil.copytree(run.folder, runs_root() / run.id)
    return Run.open(runs_root() / run.id)


def test_proxies_says_column_by_column_what_is_there_and_what_was_found(open_at: Open) -> None:
    app = open_at("pages/proxies.py", audit=truth_audit().id)
    assert_nothing_technical(app)
    assert HEADING in shown(app)
    assert "All 4 columns that leak were found; of the 5 that do not, none was named." in shown(app)
    table = wrapped(app, "Verdict").set_index("Column")
    assert table.loc["variance", "There by construction"] == "leaks in the spread"
    assert table.loc["interaction_a", "There by construction"] == "leaks only together with interaction_b"
    assert table.loc["interaction_a", "Verdict"] == "found"
    assert table.loc["useful_1", "Verdict"] == "nothing there, nothing named"
    assert float(str(table.loc["linear", "Best AUC alone"])) == pytest.approx(0.76, abs=0.005)
    assert float(str(table.loc["linear", "AUC here"])) == pytest.approx(0.76, abs=0.06)


def test_compare_shows_the_ceilings_in_the_picture_and_in_the_score_chosen(open_at: Open) -> None:
    app = open_at("pages/compare.py", audit=truth_audit().id)
    assert_nothing_technical(app)
    known = known_truth("truth", {"rows": 500})
    assert known is not None
    assert f"nobody can guess group from these columns better than {known.guessed.auc:.2f}" in shown(app)
    lines = [shape for shape in figure_about(app, "Predicting the outcome").layout.shapes if shape.name == "ceiling"]
    assert [line.x0 for line in lines if line.x0 == line.x1] == [known.guessed.auc]
    app.selectbox[1].set_value("accuracy").run()
    table = wrapped(app, "outcome predicted")
    assert table["outcome predicted"].iloc[0] == f"{100 * known.predicted.accuracy:.1f} %"
    assert len(table) == 3  # the best possible, and two methods


def test_features_says_what_each_tells_by_construction(open_at: Open) -> None:
    app = open_at("pages/features.py", audit=truth_audit().id)
    assert_nothing_technical(app)
    table = wrapped(app, TELLS).set_index("Feature")
    assert table.loc["useful_1", TELLS] == "yes"
    assert table.loc["irrelevant_1", TELLS] == "no"
    assert table.loc["linear", "There by construction"] == "leaks in the mean"
    assert table["accounting for group"].str.contains("dropped").all()


def test_decisions_shows_what_the_groups_and_the_best_prediction_are(open_at: Open) -> None:
    app = open_at("pages/decisions.py", audit=truth_audit().id)
    assert_nothing_technical(app)
    table = wrapped(app, "With the outcome, by construction")
    known = known_truth("truth", {})
    assert known is not None
    assert table["With the outcome, by construction"].tolist() == [
        f"{100 * group.outcome:.1f} %" for group in known.groups.values()
    ]
    assert sum(str(name).startswith("Predicted yes: ") for name in table) == 2


@pytest.mark.parametrize("page", ["proxies", "compare", "features", "decisions"])
def test_of_other_data_nothing_is_said_to_be_there(open_at: Open, page: str) -> None:
    assert HEADING not in shown(open_at(f"pages/{page}.py", audit=finished().id))

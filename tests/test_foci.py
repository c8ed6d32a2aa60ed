"""FOCI chooses what R's FOCI chooses, and behaves as a scikit-learn selector."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from diffoci import FOCI, T
from tests.reference import plain_T
from tests.test_coefficients import CONTINUOUS


@pytest.mark.parametrize("case", CONTINUOUS)
@pytest.mark.parametrize("how", ["scale", "bounded", "none"])
def test_selection_and_steps_equal_those_of_r(golden, golden_frame, case, how):
    X, y = golden_frame(case)
    for key, stop in (("stop_true", True), ("stop_false_all", False)):
        expected = golden("continuous")[case]["foci"][how][key]
        found = FOCI(standardize=how, stop=stop).fit(X, y)
        assert found.order_.tolist() == expected["index0"]
        assert found.scores_ == pytest.approx(expected["stepT"], abs=1e-9)


@pytest.mark.parametrize("case", ["foci_prod_s1", "foci_prod_small", "foci_toy_sx1_s21", "foci_toy_sx0p1_s21"])
@pytest.mark.parametrize("setting", ["scale_stop", "scale_nostop", "none_stop", "bounded_stop"])
def test_selection_on_large_cases_equals_that_of_r(golden, golden_frame, case, setting):
    X, y = golden_frame(case)
    expected = golden("foci")[case][setting]
    how, stop = setting.split("_")
    found = FOCI(standardize=how, stop=stop == "stop", n_features=expected.get("num_features")).fit(X, y)
    assert found.order_.tolist() == np.atleast_1d(expected["index0"]).tolist()
    assert found.scores_ == pytest.approx(np.atleast_1d(expected["stepT"]), abs=1e-9)


def test_breast_cancer_gives_the_selection_r_makes_in_every_run(golden_frame):
    X, y = golden_frame("breast_cancer")
    assert FOCI().fit(X, y).order_.tolist() == [27, 13, 1, 17]


@pytest.mark.parametrize("case", ["t01_binY_contX", "t02_binY_catX", "t03_contY_catX", "t04_intY_gridX"])
def test_selection_with_ties_is_one_that_r_makes(golden, golden_frame, case):
    X, y = golden_frame(case)
    seen = golden("ties")[case]["foci_scale_selection_counts"]
    assert ",".join(map(str, FOCI().fit(X, y).order_)) in seen
    assert ",".join(map(str, FOCI(ties="random", random_state=1).fit(X, y).order_)) in seen


def test_every_step_takes_the_best_column_by_definition():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 12, (90, 5)).astype(float), rng.integers(0, 4, 90)
    found = FOCI(standardize="none", stop=False).fit(X, y)
    for step in range(5):
        chosen = list(found.order_[:step])
        values = [plain_T(y, X[:, [*chosen, k]]) if k not in chosen else -np.inf for k in range(5)]
        assert found.order_[step] == int(np.argmax(values))
        assert found.scores_[step] == pytest.approx(max(values), abs=1e-12)


def test_shortcut_over_known_neighbours_changes_no_value():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 6))
    found = FOCI(standardize="none", stop=False).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    for step in range(6):
        assert found.scores_[step] == pytest.approx(
            T(X[:, 0] * X[:, 1] + X[:, 2], X[:, found.order_[: step + 1]]), abs=1e-12
        )


def test_nominal_columns_and_responses_can_be_chosen():
    rng = np.random.default_rng(2)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, 300)]
    X = pd.DataFrame({"noise": rng.normal(size=300), "colour": colour, "more": rng.normal(size=300)})
    found = FOCI().fit(X, pd.Series(colour))
    assert found.get_feature_names_out().tolist() == ["colour"]
    assert found.scores_[0] == pytest.approx(1.0)


def test_nothing_is_chosen_where_nothing_helps():
    rng = np.random.default_rng(12)
    y = rng.normal(size=300)
    useless = [column for column in rng.normal(size=(20, 300)) if T(y, column) <= 0]
    assert len(useless) > 1
    found = FOCI().fit(np.column_stack(useless), y)
    assert found.order_.size == 0
    assert not found.get_support().any()


def test_it_is_a_scikit_learn_selector():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    y = X["c"] + 0.1 * X["a"]
    found = clone(FOCI(n_features=1)).set_output(transform="pandas").fit(X, y)
    assert found.transform(X).columns.tolist() == ["c"]
    assert found.get_support().tolist() == [False, False, True, False]
    assert found.n_features_in_ == 4
    assert make_pipeline(FOCI(), LinearRegression()).fit(X, y).score(X, y) > 0.9


def test_a_grid_chooses_how_many_columns():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 6))
    grid = GridSearchCV(make_pipeline(FOCI(), LinearRegression()), {"foci__n_features": [1, 2]}, cv=3)
    assert grid.fit(X, X[:, 2] + X[:, 4]).best_params_ == {"foci__n_features": 2}


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_features": 0}, "n_features must be at least 1, not 0."),
        ({"ties": "mean"}, "ties must be 'average' or 'random', not 'mean'."),
        ({"n_jobs": 0}, "n_jobs must be a number of threads, or -1 for all cores, not 0."),
    ],
)
def test_bad_settings_get_one_sentence(settings, sentence):
    with pytest.raises(ValueError, match=r"^") as problem:
        FOCI(**settings).fit(np.eye(4), [0, 1, 0, 1])
    assert str(problem.value) == sentence


def test_a_constant_column_is_named():
    X = pd.DataFrame({"fine": [1.0, 2, 3, 4], "flat": [7.0] * 4})
    with pytest.raises(ValueError, match="X column 'flat' is constant, so it cannot be standardised; leave it out"):
        FOCI().fit(X, [0, 1, 0, 1])

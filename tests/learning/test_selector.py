"""DifFOCISelector finds features that matter only together, and behaves as a scikit-learn selector."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from diffoci import FOCI, DifFOCI, DifFOCISelector, StabilitySelection


@parametrize_with_checks([DifFOCISelector(max_false=None, pairs=1, max_epochs=3)])
def test_it_keeps_scikit_learn_s_conventions(estimator, check):
    check(estimator)


def only_together(seed: int, rows: int = 500, features: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """y says whether two columns have the same sign: each of them alone is independent of y."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def test_features_that_matter_only_together_are_kept_where_one_at_a_time_misses_them():
    for seed in range(2):
        X, y = only_together(seed)
        found = DifFOCISelector(pairs=5).fit(X, y)
        assert found.get_support(indices=True).tolist() == [0, 1]
        assert found.expected_false_ <= 1.0
        assert not StabilitySelection(FOCI(n_jobs=1), pairs=5).fit(X, y).get_support().any()


def test_nominal_columns_count_as_one_feature_and_constant_ones_as_none():
    rng = np.random.default_rng(2)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, 300)]
    X = pd.DataFrame({"noise": rng.normal(size=300), "flat": 1.0, "colour": colour, "more": rng.normal(size=300)})
    y = np.where(colour == "red", "stop", "go")
    found = DifFOCISelector(pairs=3, max_epochs=30).set_output(transform="pandas").fit(X, y)
    assert found.get_feature_names_out().tolist() == ["colour"]
    assert found.frequency_.shape == (4,)
    assert found.transform(X).columns.tolist() == ["colour"]


def test_a_numeric_outcome_is_taken_by_rank():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 5))
    found = DifFOCISelector(pairs=3).fit(X, np.exp(3 * X[:, 2]))
    assert found.get_support(indices=True).tolist() == [2]


def test_pipelines_and_grids_take_it():
    X, y = only_together(5, rows=400, features=4)
    steps = make_pipeline(
        DifFOCISelector(max_false=None, pairs=2, max_epochs=30), DecisionTreeClassifier(max_depth=4, random_state=0)
    )
    grid = GridSearchCV(steps, {"diffociselector__threshold": [0.75, 1.0]}, cv=2).fit(X, y)
    assert {0, 1} <= set(grid.best_estimator_[0].get_support(indices=True))


def test_a_constant_outcome_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="y is constant"):
        DifFOCISelector().fit(np.eye(6), np.ones(6))


def test_stability_selection_takes_difFOCI_itself():
    X, y = only_together(7)
    learner = DifFOCI(lr=0.05, weight_decay=0.01, batch_size=512, max_epochs=60, patience=None)
    found = StabilitySelection(learner, pairs=3).fit(X.astype(np.float32), y)
    assert found.get_support(indices=True).tolist() == [0, 1]
    assert found.chosen_per_half_ <= found.most_per_half_

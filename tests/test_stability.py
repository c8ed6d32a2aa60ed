"""Stability selection keeps what halves agree on, holds its bound, and behaves as a scikit-learn selector."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import (
    SelectFdr,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    f_classif,
    f_regression,
)
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from diffoci import FOCI, StabilitySelection
from diffoci.false_features import false_feature_bound


@parametrize_with_checks([FOCI(), StabilitySelection(FOCI(stop=False), max_false=None, pairs=2)])
def test_they_keep_scikit_learn_s_conventions(estimator, check):
    check(estimator)


def product(seed: int, rows: int = 300, noise: int = 18) -> tuple[np.ndarray, np.ndarray]:
    """y is the product of the first two columns: neither is correlated with it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2 + noise))
    return X, X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=rows)


def test_features_that_matter_together_are_kept_where_univariate_selectors_miss_them():
    missed, found = 0, 0
    for seed in range(5):
        X, y = product(seed, rows=2000, noise=6)
        selector = StabilitySelection(FOCI(n_jobs=1), threshold=0.75, pairs=5)
        found += selector.fit(X, y).get_support(indices=True).tolist() == [0, 1]
        missed += not {0, 1} <= set(SelectFdr(f_regression).fit(X, y).get_support(indices=True))
    assert (found, missed) == (5, 5)


def test_noise_is_kept_no_more_often_than_the_bound_says():
    kept, bounds = [], []
    for seed in range(20):
        X, y = product(seed, rows=100, noise=10)
        selector = StabilitySelection(SelectKBest(f_regression, k=4), max_false=None, threshold=0.6, pairs=10)
        selector.fit(X[:, 2:], y)
        kept.append(selector.get_support().sum())
        bounds.append(selector.expected_false_)
    assert bounds == [false_feature_bound(4, 10, threshold=0.6, pairs=10, assume="r-concave")] * 20
    assert np.mean(kept) <= bounds[0]


def test_a_half_chooses_no_more_than_the_bound_allows():
    X, y = product(0)
    allowed, free = (
        StabilitySelection(FOCI(stop=False, n_jobs=1), max_false=m, pairs=3).fit(X, y) for m in (1.0, None)
    )
    assert allowed.chosen_per_half_ == allowed.most_per_half_ < 20
    assert allowed.expected_false_ <= 1.0
    assert free.chosen_per_half_ == 20
    assert {0, 1} <= set(allowed.get_support(indices=True))


@pytest.mark.parametrize(
    "selector", [SelectKBest(f_classif, k=5), SelectFromModel(LogisticRegression(), threshold=-np.inf)]
)
def test_the_best_of_other_selectors_come_first(selector):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 12))
    found = StabilitySelection(selector, pairs=5, assume="none").fit(X, X[:, 3] - X[:, 7] > 0)
    assert found.most_per_half_ < 5
    assert found.get_support(indices=True).tolist() == [3, 7]


def test_names_kinds_and_constant_columns_of_a_table_are_kept():
    rng = np.random.default_rng(2)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, 200)]
    X = pd.DataFrame({"noise": rng.normal(size=200), "flat": 1.0, "colour": colour})
    found = StabilitySelection(FOCI(n_jobs=1), pairs=5).set_output(transform="pandas").fit(X, pd.Series(colour))
    assert found.get_feature_names_out().tolist() == ["colour"]
    assert found.transform(X).columns.tolist() == ["colour"]


def test_pipelines_and_grids_take_it():
    X, _ = product(3, noise=4)
    steps = make_pipeline(StabilitySelection(SelectKBest(f_regression, k=2), max_false=None, pairs=3), Lasso())
    grid = GridSearchCV(steps, {"stabilityselection__threshold": [0.6, 0.9]}, cv=2).fit(X, X[:, 0] + X[:, 1])
    assert grid.best_estimator_[0].get_support(indices=True).tolist() == [0, 1]


def test_one_seed_gives_one_result_in_any_number_of_processes():
    X, y = product(4, rows=120)
    selector = StabilitySelection(FOCI(n_jobs=1), pairs=3)
    one, two = (clone(selector).set_params(n_jobs=jobs).fit(X, y).frequency_ for jobs in (1, 2))
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"threshold": 0.5}, "threshold must be above 0.5 and at most 1, not 0.5."),
        ({"pairs": 0}, "pairs must be at least 1, not 0."),
        ({"assume": "luck"}, "assume must be one of none, r-concave, not 'luck'."),
        ({"max_false": 0}, "max_false must be positive, not 0."),
        (
            {"max_false": 0.01, "assume": "none"},
            "max_false=0.01 leaves no feature to choose among 20; set it to 0.062 or more, or raise threshold.",
        ),
    ],
)
def test_bad_settings_get_one_sentence(settings, sentence):
    with pytest.raises(ValueError, match=r"^") as problem:
        StabilitySelection(FOCI(), **settings).fit(*product(0))
    assert str(problem.value) == sentence


def test_a_selector_that_ranks_nothing_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="VarianceThreshold does not say which of its features are best"):
        StabilitySelection(VarianceThreshold(), pairs=2).fit(*product(0))

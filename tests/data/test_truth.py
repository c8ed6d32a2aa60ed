"""What the known-truth generator promises, checked by probes that do not know the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chatterjeexi, ks_2samp
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score

from diffoci.data.dataset import Dataset
from diffoci.data.truth.source import PAIR, SOURCE, make_truth, posteriors

OFF: dict[str, Any] = {"linear": 0.0, "variance": 0.0, "interaction": 0.0}


def group_of(dataset: Dataset) -> np.ndarray:
    return dataset.sensitive["group"].cat.codes.to_numpy()


def probe_auc(model, features: pd.DataFrame, target: np.ndarray) -> float:
    half = len(features) // 2
    model.fit(features[:half], target[:half])
    return roc_auc_score(target[half:], model.predict_proba(features[half:])[:, 1])


def test_each_feature_of_the_interaction_pair_is_innocent_alone():
    data = make_truth(rows=4000, linear=0, variance=0, interaction=0.9).dataset
    for name in PAIR:
        x, s = data.features[name].to_numpy(), group_of(data)
        assert chatterjeexi(x, s, y_continuous=False).pvalue > 0.01
        assert ks_2samp(x[s == 0], x[s == 1]).pvalue > 0.01


def test_linear_probes_miss_the_interaction_and_trees_find_it():
    data = make_truth(rows=6000, linear=0, variance=0, interaction=0.9).dataset
    s = group_of(data)
    assert probe_auc(LogisticRegression(), data.features, s) == pytest.approx(0.5, abs=0.04)
    assert probe_auc(HistGradientBoostingClassifier(max_iter=60), data.features, s) > 0.85


def test_linear_probes_miss_the_variance_and_trees_find_it():
    data = make_truth(rows=6000, linear=0, variance=1.5, interaction=0).dataset
    s = group_of(data)
    assert probe_auc(LogisticRegression(), data.features, s) == pytest.approx(0.5, abs=0.04)
    assert probe_auc(HistGradientBoostingClassifier(max_iter=60), data.features, s) > 0.7


def test_linear_probes_find_the_linear_leak():
    truth = make_truth(rows=6000, linear=1.5, variance=0, interaction=0)
    auc = probe_auc(LogisticRegression(), truth.dataset.features, group_of(truth.dataset))
    assert auc == pytest.approx(truth.bayes_s_auc, abs=0.02)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7])
def test_with_every_way_off_the_group_is_independent_of_the_features(share):
    truth = make_truth(rows=4000, **OFF, group_share=share)
    s = group_of(truth.dataset)
    assert truth.leaking == ()
    assert truth.bayes_s_accuracy == pytest.approx(max(share, 1 - share), abs=1e-12)
    assert truth.bayes_s_auc == pytest.approx(0.5, abs=1e-12)
    for name, x in truth.dataset.features.items():
        assert ks_2samp(x[s == 0], x[s == 1]).pvalue > 0.001, name
    trees = HistGradientBoostingClassifier(max_iter=40)
    assert probe_auc(trees, truth.dataset.features, s) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"direct": 0.0},
        {"direct": 3.0, "noise": 0.2},
        {**OFF, "linear": 2.0},
        {**OFF, "interaction": -0.8},
    ],
)
def test_stated_bayes_scores_are_what_the_true_posterior_reaches(knobs):
    truth = make_truth(rows=60_000, seed=7, **knobs)
    p_s, p_y = posteriors(truth.dataset.features, truth.knobs)
    s, y = group_of(truth.dataset), truth.dataset.label
    assert accuracy_score(s, p_s > 0.5) == pytest.approx(truth.bayes_s_accuracy, abs=0.006)
    assert accuracy_score(y, p_y > 0.5) == pytest.approx(truth.bayes_y_accuracy, abs=0.006)
    assert roc_auc_score(s, p_s) == pytest.approx(truth.bayes_s_auc, abs=0.006)
    assert roc_auc_score(y, p_y) == pytest.approx(truth.bayes_y_auc, abs=0.006)


def test_a_linear_leak_reaches_the_textbook_accuracy():
    # Two unit normals with means two apart, equal shares: the best rule is right with probability Phi(1).
    truth = make_truth(rows=10, **{**OFF, "linear": 2.0}, group_share=0.5)
    assert truth.bayes_s_accuracy == pytest.approx(0.8413, abs=0.001)
    assert truth.bayes_s_auc == pytest.approx(0.9214, abs=0.001)


def test_true_posteriors_are_calibrated():
    truth = make_truth(rows=40_000, seed=3)
    p_s, p_y = posteriors(truth.dataset.features, truth.knobs)
    for p, target in ((p_s, group_of(truth.dataset)), (p_y, truth.dataset.label.to_numpy())):
        tenth = np.digitize(p, np.quantile(p, np.linspace(0.1, 0.9, 9)))
        for k in range(10):
            assert target[tenth == k].mean() == pytest.approx(p[tenth == k].mean(), abs=0.03)


def test_no_probe_beats_the_bayes_scores():
    truth = make_truth(rows=8000)
    trees = HistGradientBoostingClassifier(max_iter=60)
    assert probe_auc(trees, truth.dataset.features, group_of(truth.dataset)) < truth.bayes_s_auc + 0.01


def test_useful_features_alone_predict_the_label():
    truth = make_truth(rows=6000, direct=0.0)
    useful = truth.dataset.features.drop(columns=[*truth.leaking])
    auc = probe_auc(LogisticRegression(), useful, truth.dataset.label.to_numpy())
    assert auc == pytest.approx(truth.bayes_y_auc, abs=0.02)
    assert auc > 0.8


def test_direct_dependence_makes_the_label_rate_differ_between_groups():
    def gap(direct: float) -> float:
        data = make_truth(rows=20_000, direct=direct).dataset
        rate = data.label.groupby(group_of(data)).mean()
        return rate[1] - rate[0]

    assert gap(0.0) == pytest.approx(0.0, abs=0.03)
    assert gap(2.0) > 0.3


def test_leaking_features_are_named_with_the_way_they_leak():
    truth = make_truth(rows=20)
    assert truth.leaking == ("linear", "variance", *PAIR)
    assert dict(truth.how) == {"linear": "linear", "variance": "variance"} | dict.fromkeys(PAIR, "interaction")


def test_seeds_reproduce_and_differ():
    first, again, other = (make_truth(rows=50, seed=seed).dataset for seed in (1, 1, 2))
    assert first.sha256 == again.sha256
    assert first.sha256 != other.sha256


def test_generated_data_say_so():
    data = make_truth(rows=20).dataset
    assert data.real is False
    assert "generated" in data.title
    assert "known truth" in data.notes[0]


@pytest.mark.parametrize(
    ("knobs", "sentence"),
    [
        ({"interaction": 1.0}, "'interaction' must be a number from -0.999 to 0.999, not 1.0"),
        ({"group_share": 0.0}, "'group_share' must be a number from 0.001 to 0.999, not 0.0"),
        ({"noise": 0.0}, "'noise' must be a number from 0.001 to 100, not 0.0"),
        ({"useful": 0}, "'useful' must be a whole number from 1 to 100, not 0"),
        ({"irrelevant": -1}, "'irrelevant' must be a whole number from 0 to 100, not -1"),
        ({"linear": float("nan")}, "'linear' must be a number from -100 to 100, not nan"),
        ({"rows": 1}, "'rows' must be a whole number from 2 to 1,000,000, not 1"),
    ],
)
def test_impossible_knobs_get_a_clear_sentence(knobs, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_truth(**knobs)


def test_the_source_s_defaults_are_those_of_the_generator():
    assert SOURCE.load(sensitive=(), **SOURCE.filled_in({}, twin=False)).sha256 == make_truth().dataset.sha256

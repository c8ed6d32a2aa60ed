"""Chance limits are those of refitting on shuffled labels, and verdicts follow from them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from diffoci.audit.means import mean_over_seeds
from diffoci.audit.measuring.guessing import auc, guess
from diffoci.audit.result import Mean
from diffoci.audit.verdicts import Chance, SplitScores, aucs, chance, judged_classes, verdict
from diffoci.data.splits import Split


def split(n: int, seed: int) -> Split:
    order = np.random.default_rng(seed).permutation(n)
    a, b = int(0.75 * n), int(0.9 * n)
    return Split(np.sort(order[:a]), np.sort(order[a:b]), np.sort(order[b:]), seed)


def test_auc_of_a_split_is_the_usual_one():
    rng = np.random.default_rng(0)
    code, p = rng.integers(0, 2, 200), rng.random(200).round(1)
    tests = [
        SplitScores(np.arange(100), np.column_stack([1 - p, p])[:100]),
        SplitScores(np.arange(50, 200), np.column_stack([1 - p, p])[50:]),
    ]
    expected = [roc_auc_score(code[:100], p[:100]), roc_auc_score(code[50:], p[50:])]
    assert aucs(code, tests, [0, 1]) == pytest.approx(expected)


def test_limits_equal_those_of_refitting_all_probes_on_shuffled_labels():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(600, 3)).astype(np.float32)
    code = (z[:, 0] + rng.normal(size=600) > 0).astype(np.int64)
    cut = split(600, 0)
    real = guess(z, code, cut, classes=2, probes=("logistic", "boosting"))
    limits = chance(code, [SplitScores(cut.test, real.probability)], [0, 1], draws=4000)
    refitted: list[float] = []
    for k in range(60):
        shuffled = rng.permutation(code)
        area = guess(z, shuffled, cut, classes=2, probes=("logistic", "boosting"), seed=k).scores.auc
        assert area is not None
        refitted.append(area)
    spread = (limits.high - limits.low) / (2 * 2.326)
    assert np.std(refitted) == pytest.approx(spread, rel=0.3)
    assert np.mean(refitted) == pytest.approx(0.5, abs=4 * spread / np.sqrt(60))


def test_more_splits_narrow_the_limits():
    rng = np.random.default_rng(2)
    code = rng.integers(0, 2, 400)
    tests = []
    for k in range(10):
        rows, p = split(400, k).test, rng.random(40)
        tests.append(SplitScores(rows, np.column_stack([1 - p, p])))
    one, ten = chance(code, tests[:1], [0, 1], draws=1000), chance(code, tests, [0, 1], draws=1000)
    assert ten.high - ten.low < 0.6 * (one.high - one.low)


def test_groups_with_too_few_test_rows_are_not_judged():
    code = np.repeat([0, 1, 2], [100, 100, 8])
    everything = [SplitScores(np.arange(208), np.zeros((208, 3)))]
    assert judged_classes(code, everything, 3) == [0, 1]
    assert judged_classes(np.repeat([0, 1], [200, 8]), everything, 2) == []


@pytest.mark.parametrize(
    ("mean", "limits", "expected"),
    [
        (0.8, Chance(0.45, 0.55), "detected"),
        (0.54, Chance(0.45, 0.55), "not detected"),
        (0.6, Chance(0.2, 0.8), "insufficient evidence"),
        (0.9, Chance(0.2, 0.8), "detected"),
        (None, None, "insufficient evidence"),
    ],
)
def test_verdicts(mean, limits, expected):
    assert verdict(mean, limits) == expected


def test_a_split_whose_test_rows_lack_a_group_has_no_auc_and_keeps_its_place():
    code = np.repeat([0, 1], [160, 40])
    p = np.linspace(0, 1, 200)
    tests = [
        SplitScores(np.arange(100, 200), np.column_stack([1 - p, p])[100:]),
        SplitScores(np.arange(100), np.column_stack([1 - p, p])[:100]),
    ]
    found = mean_over_seeds(aucs(code, tests, [0, 1]).tolist(), most=1.0)
    assert found == Mean(1.0, None, None, (1.0, None))
    assert verdict(found.mean, chance(code, tests, [0, 1], draws=200)) == "detected"
    assert verdict(float("nan"), Chance(0.45, 0.55)) == "insufficient evidence"


def test_classes_of_a_few_rows_have_no_say_in_an_auc():
    code = np.array([0] * 50 + [1] * 50 + [2] * 3)
    probability = np.zeros((103, 3))
    probability[:50, 0] = probability[50:100, 1] = 1.0  # the three of the last class are never found
    assert auc(code, probability, 3) == pytest.approx(1.0)
    assert auc(code[97:], probability[97:], 3) == pytest.approx(0.75)  # where all are few, all count

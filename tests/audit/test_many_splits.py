"""With many splits of the same people, "detected" is as rare on harmless data as with one."""

from __future__ import annotations

import numpy as np
import pytest

from diffoci.audit.splitting import taught_by_each_other
from diffoci.audit.verdicts import Chance, SplitScores, aucs, chance

PEOPLE, COLUMNS, AUDITS = 300, 8, 80


def standing_of(mean: float, limits: Chance) -> float:
    """Where a mean AUC stands: 1 is at the upper 1 % limit, -1 at the lower."""
    return (mean - 0.5) / ((limits.high - limits.low) / 2)


def ridge_scores(z: np.ndarray, code: np.ndarray, train: np.ndarray, test: np.ndarray) -> SplitScores:
    centred = z[train] - z[train].mean(axis=0)
    weights = np.linalg.solve(centred.T @ centred + np.eye(z.shape[1]), centred.T @ (code[train] - code[train].mean()))
    score = z[test] @ weights
    return SplitScores(test, np.column_stack([-score, score]))


@pytest.mark.parametrize("splits", [5, 20])
def test_limits_allow_for_splits_that_share_people(splits: int) -> None:
    rng = np.random.default_rng(splits)
    standing = []
    for _ in range(AUDITS):
        z, code = rng.normal(size=(PEOPLE, COLUMNS)), rng.permutation(np.repeat([0, 1], PEOPLE // 2))
        tests = []
        for _ in range(splits):
            order = rng.permutation(PEOPLE)
            tests.append(ridge_scores(z, code, np.sort(order[: int(0.9 * PEOPLE)]), np.sort(order[-PEOPLE // 10 :])))
        limits = chance(code, tests, [0, 1], draws=400)
        standing.append(standing_of(aucs(code, tests, [0, 1]).mean(), limits))
    deviation = np.std(standing) * 2.326  # 1 if the limits are those of a normal distribution of the right width
    assert 0.8 < deviation < 1.2
    assert np.mean(np.array(standing) > 1) < 0.05


def test_limits_allow_for_folds_that_teach_each_other() -> None:
    rng = np.random.default_rng(10)
    taught = taught_by_each_other({"fractions": (0.9, 0.0, 0.1), "fold_rows": 5000}, PEOPLE)
    standing = []
    for _ in range(2 * AUDITS):
        z, code = rng.normal(size=(PEOPLE, COLUMNS)), np.repeat([0, 1], PEOPLE // 2)
        fold = np.concatenate([rng.permutation(np.arange(PEOPLE // 2) % 10) for _ in range(2)])
        tests = [ridge_scores(z, code, np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(10)]
        limits = chance(code, tests, [0, 1], draws=400, taught=taught)
        standing.append(standing_of(aucs(code, tests, [0, 1]).mean(), limits))
    assert 0.8 < np.std(standing) * 2.326 < 1.2
    assert np.mean(np.array(standing) > 1) < 0.05


def test_limits_of_one_feature_allow_for_a_direction_that_folds_teach_each_other() -> None:
    rng = np.random.default_rng(11)
    taught = taught_by_each_other({"fractions": (0.9, 0.0, 0.1), "fold_rows": 5000}, PEOPLE)
    above, below, widths = [], [], []
    for _ in range(500):
        z, code = rng.normal(size=(PEOPLE, 1)), np.repeat([0, 1], PEOPLE // 2)
        fold = np.concatenate([rng.permutation(np.arange(PEOPLE // 2) % 10) for _ in range(2)])
        tests = [ridge_scores(z, code, np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(10)]
        one, any_ = (chance(code, tests, [0, 1], draws=1000, taught=taught, one_direction=one) for one in (True, False))
        mean = aucs(code, tests, [0, 1]).mean()
        above.append(mean > one.high)
        below.append(mean < one.low)
        widths.append((one.high - 0.5) / (any_.high - 0.5))
    assert 0.002 <= np.mean(above) <= 0.02  # one in a hundred
    assert 0.002 <= np.mean(below) <= 0.02
    assert np.mean(widths) < 0.9

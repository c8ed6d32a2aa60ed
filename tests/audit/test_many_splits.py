"""With many splits of the same people, "detected" is as rare on harmless data as with one."""

from __future__ import annotations

import numpy as np
import pytest

from diffoci.audit.verdicts import SplitScores, aucs, chance

PEOPLE, COLUMNS, AUDITS = 300, 8, 80


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
        # 1 is at the upper 1 % limit, -1 at the lower.
        standing.append((aucs(code, tests, [0, 1]).mean() - 0.5) / ((limits.high - limits.low) / 2))
    deviation = np.std(standing) * 2.326  # 1 if the limits are those of a normal distribution of the right width
    assert 0.8 < deviation < 1.2
    assert np.mean(np.array(standing) > 1) < 0.05

"""Intervals over test folds hold the truth of simulated audits about as often as they say."""

from __future__ import annotations

from tests.measure.coverage import coverage


def test_intervals_over_folds_hold_the_truth_in_about_95_of_100_audits() -> None:
    # tests/measure/coverage.py has 200 audits and several sizes; of 100 a share of 95 % is within 5 points.
    for what, (held, _) in coverage(100, people=395).items():
        assert 0.90 <= held <= 1.0, what

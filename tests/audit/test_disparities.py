"""Intervals between groups hold what they promise, and shuffled labels show what chance gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from diffoci.audit.decisions.disparities import Disparity, disparities
from diffoci.audit.decisions.four_fifths import BELOW, NOT_BELOW, TOO_FEW, GroupRatio, four_fifths
from diffoci.audit.decisions.intervals import wilson_limits
from diffoci.audit.decisions.resampling import bootstrap_counts, shuffled_successes

MANY_SMALL = np.array([1000, 1000, *[40] * 8])


def table(sizes: np.ndarray, *, rng: np.random.Generator, selected: np.ndarray | float = 0.3) -> np.ndarray:
    """Counts by group, label and decision, with decisions that do not depend on the label."""
    share = np.broadcast_to(selected, sizes.shape)
    return np.stack(
        [
            rng.multinomial(n, np.outer([0.6, 0.4], [1 - p, p]).ravel()).reshape(2, 2)
            for n, p in zip(sizes, share, strict=True)
        ]
    )


def compared(counts: np.ndarray, name: str, *, seed: int = 0, replicates: int = 400) -> Disparity:
    return audit(counts, seed=seed, replicates=replicates)[name]


def audit(counts: np.ndarray, *, seed: int, replicates: int) -> dict[str, Disparity]:
    rng = np.random.default_rng(seed)
    drawn = bootstrap_counts(counts, replicates=replicates, rng=rng)
    return disparities(counts, [str(k) for k in range(len(counts))], drawn=drawn, rng=rng)


def ratios_to_highest(counts: np.ndarray) -> tuple[GroupRatio, ...]:
    drawn = bootstrap_counts(counts, replicates=400, rng=np.random.default_rng(0))
    return four_fifths(counts, [str(k) for k in range(len(counts))], drawn=drawn)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 17), (10, 10), (499, 1000)])
def test_wilson_limits_equal_scipys(k: int, n: int) -> None:
    expected = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert np.allclose(wilson_limits(k, n), (expected.low, expected.high), atol=1e-12)


def test_the_bootstrap_can_fill_an_empty_cell() -> None:
    counts = np.array([[[30, 0], [0, 0]], [[20, 10], [5, 5]]])
    drawn = bootstrap_counts(counts, replicates=500, rng=np.random.default_rng(0))
    assert drawn[:, 0, 0, 1].any()


def test_shuffled_labels_give_the_hypergeometric_mean() -> None:
    k, n = np.array([90, 0]), np.array([300, 100])
    drawn = shuffled_successes(k, n, replicates=4000, rng=np.random.default_rng(0))
    assert np.allclose(drawn.mean(0), [67.5, 22.5], atol=0.3)


@pytest.fixture(scope="module")
def audits_of_equal_groups() -> list[dict[str, Disparity]]:
    rng = np.random.default_rng(0)
    return [audit(table(MANY_SMALL, rng=rng), seed=seed, replicates=200) for seed in range(200)]


@pytest.mark.parametrize("measure", ["demographic_parity", "equalized_odds"])
@pytest.mark.parametrize(("comparison", "truth"), [("difference", 0.0), ("ratio", 1.0)])
def test_equal_groups_are_within_the_interval_19_times_in_20(
    audits_of_equal_groups: list[dict[str, Disparity]], measure: str, comparison: str, truth: float
) -> None:
    intervals = [found[f"{measure}_{comparison}"].found for found in audits_of_equal_groups]
    # 200 audits: 0.95 less two standard errors
    assert np.mean([entry is not None and entry.low <= truth <= entry.high for entry in intervals]) >= 0.92


@pytest.mark.parametrize("name", ["demographic_parity_difference", "equalized_odds_ratio"])
def test_shuffled_labels_call_equal_groups_different_about_once_in_20(
    audits_of_equal_groups: list[dict[str, Disparity]], name: str
) -> None:
    chances = [found[name].chance for found in audits_of_equal_groups]
    assert np.mean([chance is not None and chance.p_value <= 0.05 for chance in chances]) <= 0.08


def test_many_small_equal_groups_have_a_low_ratio_by_chance_alone() -> None:
    found = compared(table(MANY_SMALL, rng=np.random.default_rng(2)), "demographic_parity_ratio")
    assert found.chance is not None
    assert found.chance.median < 0.8


def test_a_real_difference_between_large_groups_shows_among_many_small_ones() -> None:
    rates = np.array([0.5, 0.2, *[0.35] * 8])
    found = compared(table(MANY_SMALL, rng=np.random.default_rng(3), selected=rates), "demographic_parity_difference")
    assert found.found is not None
    assert found.found.low > 0.2


def test_the_interval_of_nobody_selected_among_40_is_not_a_point() -> None:
    counts = np.array([[[24, 0], [16, 0]], [[500, 100], [300, 100]]])
    found = compared(counts, "demographic_parity_ratio").found
    assert found is not None
    assert (found.value, found.high > 0.1) == (0.0, True)


def test_the_groups_behind_the_worst_case_are_named() -> None:
    found = compared(
        table(np.array([500, 500]), rng=np.random.default_rng(0), selected=np.array([0.2, 0.6])),
        "demographic_parity_ratio",
    )
    assert (found.highest, found.lowest) == ("1", "0")


def test_every_measure_says_its_arithmetic() -> None:
    found = compared(table(MANY_SMALL, rng=np.random.default_rng(0)), "equalized_odds_difference")
    assert found.arithmetic == (
        "the larger of highest true positive rate minus lowest and highest false positive rate minus lowest"
    )


@pytest.mark.parametrize(
    ("share", "people", "verdict"), [(0.2, 1000, BELOW), (0.5, 4000, NOT_BELOW), (0.4, 50, TOO_FEW)]
)
def test_four_fifths_is_judged_by_its_interval(share: float, people: int, verdict: str) -> None:
    chosen = int(people * share)
    counts = np.array([[[1000, 1000], [1000, 1000]], [[people - chosen, chosen], [0, 0]]])
    assert ratios_to_highest(counts)[1].verdict == verdict


def test_the_smallest_four_fifths_ratio_is_the_demographic_parity_ratio() -> None:
    counts = table(MANY_SMALL, rng=np.random.default_rng(4))
    found = compared(counts, "demographic_parity_ratio").found
    ratios = [entry.value for entry in ratios_to_highest(counts)]
    assert found is not None
    assert min(ratios) == pytest.approx(found.value)

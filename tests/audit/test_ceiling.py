"""The ceiling: right by hand, kept over many draws, and never passed by an adversary that tries everything."""

from __future__ import annotations

from itertools import product
from math import log, sqrt
from typing import TypeVar

import numpy as np
import pytest

from diffoci.audit.certificates.ceiling import best_auc, ceiling, people_needed, total_variation
from diffoci.audit.decisions.any_threshold import ScoreCeiling, score_ceilings
from diffoci.audit.decisions.grouping import Grouping

Found = TypeVar("Found")


def there(found: Found | None) -> Found:
    """What must have been found."""
    assert found is not None
    return found


def test_a_case_computed_by_hand():
    found = there(ceiling([[30, 50, 20], [10, 60, 30]], ["f", "m"]))
    (bound,) = found.bounds
    slack = sqrt((1 / 100 + 1 / 100) * log(20) / 2)
    assert bound.found == pytest.approx(0.2, abs=1e-12)
    assert bound.tv == pytest.approx(0.2 + slack, abs=1e-12)
    assert bound.balanced_accuracy == pytest.approx((1.2 + slack) / 2, abs=1e-12)
    # Cells by likelihood of m: 1 (1/4), 2 (6/11), 3 (3/5); AUC = sum of q (p before + p/2).
    area = 0.1 * 0.15 + 0.6 * (0.3 + 0.25) + 0.3 * (0.8 + 0.1)
    assert bound.auc == pytest.approx(area + slack, abs=1e-12)


@pytest.mark.parametrize("people", [60, 300, 2500])
@pytest.mark.parametrize("cells", [2, 8, 16])
@pytest.mark.parametrize("leak", [0.0, 0.17])
def test_the_bounds_hold_in_at_least_95_of_100_draws(people, cells, leak):
    rng = np.random.default_rng(people + cells)
    p = np.full(cells, 1 / cells)
    q = p * (1 + np.where(np.arange(cells) < cells // 2, -2 * leak, 2 * leak))
    truth, area = total_variation(p, q), best_auc(p, q)
    drawn = [(rng.multinomial(people, p), rng.multinomial(people, q)) for _ in range(1000)]
    bounds = [there(ceiling(pair, ["a", "b"])).worst for pair in drawn]
    assert np.mean([bound.tv >= truth for bound in bounds]) >= 0.95
    assert np.mean([bound.auc >= area for bound in bounds]) >= 0.95


def test_an_adversary_that_tries_every_subset_of_cells_is_not_better_than_the_sample_says():
    rng = np.random.default_rng(0)
    for _ in range(20):
        counts = rng.multinomial(80, rng.dirichlet(np.ones(8)), size=2)
        p, q = counts / 80
        best = max(
            (q[list(s)].sum() + 1 - p[list(s)].sum()) / 2 for s in map(np.flatnonzero, product([0, 1], repeat=8))
        )
        assert best == pytest.approx((1 + total_variation(counts[0], counts[1])) / 2, abs=1e-12)
        assert best <= there(ceiling(counts, ["a", "b"])).worst.balanced_accuracy


def test_a_planted_leak_never_gets_a_ceiling_under_its_truth():
    rng = np.random.default_rng(1)
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    for _ in range(200):
        worst = there(ceiling([rng.multinomial(400, p), rng.multinomial(400, q)], ["a", "b"])).worst
        assert worst.balanced_accuracy >= 0.65


def test_several_groups_are_bounded_all_at_once():
    found = there(ceiling([[40, 60], [50, 50], [60, 40]], ["a", "b", "c"]))
    assert [bound.groups for bound in found.bounds] == [
        ("a", "b"), ("a", "c"), ("b", "c"), ("a", "all others"), ("b", "all others"), ("c", "all others"),
    ]  # fmt: skip
    assert found.worst.groups == ("a", "c")
    assert found.worst.slack == pytest.approx(sqrt(0.02 * log(8 / 0.05) / 2), abs=1e-12)


def test_a_group_without_people_is_left_out_and_one_group_has_no_ceiling():
    assert there(ceiling([[5, 5], [0, 0], [3, 7]], ["a", "b", "c"])).worst.groups == ("a", "c")
    assert ceiling([[5, 5], [0, 0]], ["a", "b"]) is None


def test_with_few_people_the_ceiling_says_nothing_and_how_many_it_would_take():
    assert there(ceiling([[1, 1], [1, 1]], ["a", "b"])).worst.tv == 1.0
    assert people_needed([1, 1], error=0.05) == 150
    assert people_needed([1, 9], error=0.05) > people_needed([5, 5], error=0.05)


def worst_gap(score: np.ndarray, group: np.ndarray) -> ScoreCeiling:
    """What no threshold exceeds between two groups."""
    values, place = np.unique(score, return_inverse=True)
    (found,) = score_ceilings(values, place, Grouping(("g",), (("a",), ("b",)), group), minimum=1, confidence=0.95)
    return found


def test_the_gap_of_every_threshold_is_that_of_the_worst():
    rng = np.random.default_rng(2)
    group = rng.integers(0, 2, 500)
    score = np.round(rng.random(500) + 0.2 * group, 2)
    worst = max(abs((score[group == 0] >= t).mean() - (score[group == 1] >= t).mean()) for t in np.unique(score))
    assert worst_gap(score, group).found == pytest.approx(worst, abs=1e-12)


def test_the_gap_of_every_threshold_is_kept_over_draws():
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(400):
        group = rng.integers(0, 2, 300)
        kept += worst_gap(rng.normal(size=300) + 0.5 * group, group).most >= 0.1974  # 2 Phi(1/4) - 1
    assert kept / 400 >= 0.95


def test_everybody_with_the_same_score_has_no_gap():
    assert worst_gap(np.full(10, 0.5), np.arange(10) % 2).found == 0.0

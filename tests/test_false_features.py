"""The bounds on false features hold for whatever they are about, and are no larger than they need be."""

from __future__ import annotations

import numpy as np
import pytest

from diffoci.false_features import _tail, false_feature_bound, most_to_choose


def tail_by_search(mean: float, least: int, steps: int, r: float) -> float:
    """The largest tail found among many r-concave distributions (g = f^r convex) with at most this mean."""
    rng = np.random.default_rng(0)
    draws = 60_000
    scale = 10 ** rng.uniform(-3, 1, size=(draws, 1))
    slope = rng.choice([-1.0, 0.0, 1.0], size=(draws, 1), p=[0.1, 0.1, 0.8]) + scale * np.sort(
        rng.normal(size=(draws, steps))
    )
    g = np.hstack([np.zeros((draws, 1)), np.cumsum(slope, axis=1)])
    g += 10 ** rng.uniform(-3, 2, size=(draws, 1)) - g.min(axis=1, keepdims=True)
    weight = g ** (1 / r)
    last = rng.integers(least, steps + 1, size=(draws, 1))  # less weight on the last value, and none after it
    value = np.arange(steps + 1)
    weight *= np.where(value < last, 1.0, np.where(value == last, rng.random((draws, 1)), 0.0))
    weight /= weight.sum(axis=1, keepdims=True)
    return float(weight[weight @ value <= mean * steps, least:].sum(axis=1).max())


@pytest.mark.parametrize("r", [-1 / 2, -1 / 4])
@pytest.mark.parametrize(("mean", "least"), [(0.05, 4), (0.15, 5), (0.1, 6)])
def test_no_r_concave_distribution_has_a_larger_tail(r, mean, least):
    found = tail_by_search(mean, least, 6, r)
    bound = _tail(mean, least, 6, r)
    assert found <= bound + 1e-9
    assert found > 0.5 * bound  # the bound is not idle


def test_the_plain_bound_is_that_of_meinshausen_and_buhlmann():
    assert false_feature_bound(50, 1000, threshold=0.75, pairs=50) == pytest.approx(50**2 / (0.5 * 1000))


def test_assuming_more_gives_less():
    for chosen in (1, 5, 20):
        for threshold in (0.6, 0.75, 0.9, 1.0):
            plain, concave = (
                false_feature_bound(chosen, 100, threshold=threshold, pairs=20, assume=assume)
                for assume in ("none", "r-concave")
            )
            assert concave <= plain


@pytest.mark.parametrize("assume", ["none", "r-concave"])
def test_most_to_choose_is_the_last_number_within_the_bound(assume):
    rule = {"threshold": 0.8, "pairs": 20, "assume": assume}
    most = most_to_choose(50, max_false=1.0, **rule)
    assert false_feature_bound(most, 50, **rule) <= 1.0 < false_feature_bound(most + 1, 50, **rule)


def test_no_selector_beats_the_plain_bound():
    """Twenty halves choose features by coins that lean as they like: the bound is about any of them."""
    rng = np.random.default_rng(1)
    features, pairs, threshold = 40, 10, 0.6
    lean = rng.beta(1, 8, size=features)
    halves = rng.random((400, 2 * pairs, features)) < lean
    often = halves.mean(axis=1) >= threshold
    average = lean.sum() / features
    false = often[:, lean <= average].sum(axis=1).mean()
    assert false <= false_feature_bound(lean.sum(), features, threshold=threshold, pairs=pairs)

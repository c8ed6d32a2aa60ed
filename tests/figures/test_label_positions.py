"""Names beside marks: never on one another, and placed quickly where a stranger has thousands."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest

from diffoci.figures._label_positions import MOST_PLACED, Placed, place_names

METHODS = ("Standard data", "dF1", "dF2", "dF3", "dF3 with penalty", "CorrelationRemover", "LEACE", "Adversary")


def placed(count: int, seed: int = 0) -> list[Placed]:
    x, y = np.random.default_rng(seed).uniform(size=(2, count)).tolist()
    return place_names(x, y, [f"method {k}" for k in range(count)], x_range=(0, 1), y_range=(0, 1))


def test_item_8_placing_many_names_is_not_quadratic() -> None:
    begun = time.perf_counter()
    found = placed(20_000)
    assert time.perf_counter() - begun < 10
    assert len(found) == 20_000
    assert {name.position for name in found[MOST_PLACED:]} == {"top center"}


def test_names_avoid_each_other_while_there_is_room() -> None:
    assert len({name.position for name in placed(30)}) > 3
    assert placed(0) == []


@pytest.mark.parametrize("width", [560, 870, 1400])
def test_names_of_close_marks_do_not_overlap(width: int) -> None:
    """Eight methods in three tight clusters, in the smallest picture that shows names and in larger ones."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        centres = rng.uniform(0.1, 0.9, (3, 2))
        points = np.clip(centres[rng.integers(0, 3, 8)] + rng.normal(0, 0.03, (8, 2)), 0, 1)
        x, y = points[:, 0].tolist(), points[:, 1].tolist()
        names = place_names(x, y, METHODS, x_range=(0, 1), y_range=(0, 1))
        shown = [drawn(name, px, py, width) for name, px, py in zip(names, x, y, strict=True) if name.text]
        covered = [1 for one, other in combinations(shown, 2) if overlap(one, other) > 40]
        assert not covered, f"seed {seed}"
        assert len(shown) >= 4


def test_a_name_stands_clear_of_the_interval_of_its_mark() -> None:
    cross = [(0.3, 0.5, 0.7, 0.5), (0.5, 0.2, 0.5, 0.8)]
    (name,) = place_names([0.5], [0.5], ["dF2"], x_range=(0, 1), y_range=(0, 1), avoid=cross)
    assert name.position in ("top right", "top left", "bottom right", "bottom left")


def drawn(name: Placed, x: float, y: float, width: int, height: int = 320) -> tuple[float, float, float, float]:
    """Where Plotly draws a name of 14 pixels beside a mark of 15: left, bottom, right, top."""
    long = 6.6 * len(name.text)
    across = {"left": -1, "right": 1}.get(name.position.split()[1], 0)
    up = {"top": 1, "bottom": -1}.get(name.position.split()[0], 0)
    cx, cy = x * width + across * (10.4 + long / 2), y * height + up * (10.4 + 7)
    return cx - long / 2, cy - 7, cx + long / 2, cy + 7


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """How many square pixels two boxes have in common."""
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, high)

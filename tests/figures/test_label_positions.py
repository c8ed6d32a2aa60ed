"""Names beside marks: placed as before where there are few, and quickly where a stranger has thousands."""

from __future__ import annotations

import time

import numpy as np

from diffoci.figures._label_positions import MOST_PLACED, label_positions


def placed(count: int, seed: int = 0) -> list[str]:
    x, y = np.random.default_rng(seed).uniform(size=(2, count)).tolist()
    return label_positions(x, y, [f"method {k}" for k in range(count)], x_range=(0, 1), y_range=(0, 1))


def test_item_8_placing_many_names_is_not_quadratic() -> None:
    begun = time.perf_counter()
    found = placed(20_000)
    assert time.perf_counter() - begun < 10
    assert len(found) == 20_000
    assert set(found[MOST_PLACED:]) == {"top center"}


def test_names_avoid_each_other_while_there_is_room() -> None:
    assert len(set(placed(30))) > 3
    assert placed(0) == []

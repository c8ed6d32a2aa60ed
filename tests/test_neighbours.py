"""The two searches find exactly the nearest rows, ties included, and nothing of size n x n."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.spatial import cKDTree

from diffoci import neighbours
from diffoci.neighbours import nearest_neighbours
from tests.reference import weights


def as_marks(found: neighbours.Neighbours) -> np.ndarray:
    n = len(found.point)
    mark = np.zeros((n, n), dtype=bool)
    shared = found.size[found.point] > 1
    mark[shared] = found.point[shared, None] == found.point[None]
    np.fill_diagonal(mark, False)
    for k, row in enumerate(found.lone):
        mark[row] = np.isin(found.point, found.nearest[found.start[k] : found.start[k + 1]])
    return mark


CLOUDS = {
    "continuous": lambda rng: rng.normal(size=(300, 3)),
    "a line with ties": lambda rng: rng.integers(0, 90, (120, 1)).astype(float),
    "a coarse grid": lambda rng: rng.integers(0, 4, (200, 3)).astype(float),
    "a grid in six dimensions": lambda rng: rng.integers(0, 3, (200, 6)).astype(float),
    "all rows equal": lambda rng: np.zeros((9, 2)),
    "two rows": lambda rng: rng.normal(size=(2, 2)),
    "every row equally far": lambda rng: np.eye(40),
    "columns of very different size": lambda rng: rng.normal(size=(150, 5)) * [1e9, 1, 1, 1e-9, 1],
    "far from the origin": lambda rng: rng.normal(size=(150, 5)) + 1e6,
}


@pytest.fixture(params=["tree", "brute force"])
def search(request, monkeypatch):
    """Force one of the two searches, with tiles so small that many are met."""
    if request.param == "brute force":
        monkeypatch.setattr(neighbours, "TILE_ROWS", 64)
        monkeypatch.setattr(neighbours, "QUERY_ROWS", 16)
        monkeypatch.setattr(
            neighbours,
            "_search",
            lambda points, queries, workers: neighbours._by_brute_force(
                cKDTree(points).indices, points, queries, workers
            ),
        )


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("cloud", CLOUDS)
def test_neighbours_are_those_of_the_definition(cloud):
    points = CLOUDS[cloud](np.random.default_rng(len(cloud)))
    assert np.array_equal(as_marks(nearest_neighbours(points)), (weights(points, 1) > 0))


def test_minus_zero_is_zero():
    points = np.array([[0.0, 1.0], [-0.0, 1.0], [5.0, 5.0]])
    assert np.array_equal(as_marks(nearest_neighbours(points)), (weights(points, 1) > 0))


def test_both_searches_agree_on_many_points():
    points = np.random.default_rng(0).normal(size=(6000, 8))
    tree, rows = cKDTree(points), np.arange(6000)
    assert np.array_equal(
        neighbours._by_tree(tree, points, rows, 2)[1], neighbours._by_brute_force(tree.indices, points, rows, 2)[1]
    )


def test_memory_stays_far_below_all_pairs():
    points = np.random.default_rng(1).normal(size=(20_000, 10))
    tracemalloc.start()
    nearest_neighbours(points)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000**2 / 10


def test_an_identifier_like_column_is_named_as_such(monkeypatch):
    monkeypatch.setattr(neighbours, "MOST_TIES", 100)
    with pytest.raises(ValueError, match="as with an identifier column; leave that column out"):
        nearest_neighbours(np.eye(40))


@pytest.mark.parametrize("scale", [1 / 3, 0.1, 7.0, 12_345.678])
def test_values_equally_far_apart_stay_so_when_a_column_is_rescaled(scale: float) -> None:
    values = np.asarray(10 * np.random.default_rng(0).permutation(5000)[:1000], dtype=np.float64)
    plain, rescaled = (nearest_neighbours(factor * values[:, None]) for factor in (np.float64(1), np.float64(scale)))
    assert len(plain.nearest) > len(values)  # some have a neighbour on either side
    assert np.array_equal(plain.nearest, rescaled.nearest)

"""Exact Euclidean nearest neighbours with all their ties, without an n x n matrix."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from diffoci.inputs import SHORTEST, TOO_DIFFERENT, Floats, Ints
from diffoci.threads import one_thread

# A tile of float32 scores that stays in the processor's cache.
QUERY_ROWS, TILE_ROWS = 256, 4096
# Below this many points both searches are done before a measurement would have told which is faster.
SMALL = 2048
# In more dimensions a tree looks at nearly every point, one at a time.
MOST_TREE_DIMENSIONS = 16
# Rounding may separate distances that the definition calls equal by a few units in the last place.
SLACK = 1e-12
# The same of a single column: a value that was scaled is off by half a unit in its last place, whatever the distance.
_ROUNDING = 4 * np.finfo(np.float64).eps
MOST_TIES = 500_000_000
# Squares beyond this are not added up in single precision, where they could overflow.
_LARGEST_SINGLE = 1e30


@dataclass(frozen=True)
class Neighbours:
    """Who is nearest to whom: rows grouped into distinct points, and nearest points of lone rows.

    A row that shares its point with others has exactly those as nearest neighbours. A lone row `lone[k]`
    has the rows of the points `nearest[start[k]:start[k + 1]]`, all at the same smallest distance.
    """

    point: Ints
    size: Ints
    lone: Ints
    start: Ints
    nearest: Ints

    @property
    def simple(self) -> bool:
        """Whether every row has exactly one nearest neighbour."""
        return len(self.nearest) == len(self.point) == len(self.size)


def nearest_neighbours(points: Floats, *, workers: int | None = None) -> Neighbours:
    """Find every row's nearest other rows.

    Parameters
    ----------
    points : array of shape (n, d)
        Finite float64 coordinates, n >= 2.
    workers : int, optional
        Threads to use; all cores by default.
    """
    if points.shape[1] == 1:
        return _on_a_line(points[:, 0])
    first, point, size = distinct_rows(points)
    alone = np.flatnonzero(size == 1)
    if not len(alone):
        return _lone(point, size, first[:0], np.zeros(1, dtype=np.int64), first[:0])
    distinct = points if len(first) == len(points) else np.ascontiguousarray(points[first])
    start, nearest = _search(distinct, alone, workers or cores())
    return _lone(point, size, first[alone], start, nearest)


def distinct_rows(points: Floats) -> tuple[Ints, Ints, Ints]:
    """Group equal rows: first row of each group, group of each row, group sizes."""
    bits = (points + 0.0).view(np.uint64)  # adding zero makes -0.0 and 0.0 the same bits
    digest = np.zeros(len(points), dtype=np.uint64)
    for column in bits.T:
        digest = (digest ^ column) * np.uint64(0x9E3779B97F4A7C15)
        digest ^= digest >> np.uint64(29)
    _, first, point, size = np.unique(digest, return_index=True, return_inverse=True, return_counts=True)
    if len(first) < len(points) and not np.array_equal(points[first][point], points):  # a digest collision
        _, first, point, size = np.unique(points, axis=0, return_index=True, return_inverse=True, return_counts=True)
    elif len(first) == len(points):
        first = point = np.arange(len(points))
    return first.astype(np.int64), point.astype(np.int64), size.astype(np.int64)


def _lone(point: Ints, size: Ints, lone: Ints, start: Ints, nearest: Ints) -> Neighbours:
    return Neighbours(point=point, size=size, lone=lone, start=start, nearest=nearest)


def _one_each(nearest: Ints) -> Neighbours:
    rows = np.arange(len(nearest))
    return _lone(rows, np.ones(len(rows), dtype=np.int64), rows, np.arange(len(rows) + 1), nearest)


def _on_a_line(values: Floats) -> Neighbours:
    """One dimension: after sorting, the nearest value is the one before or after."""
    distinct, first, point, size = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    alone = np.flatnonzero(size == 1)
    if not len(alone):
        return _lone(point, size, first[:0], np.zeros(1, dtype=np.int64), first[:0])
    gap = np.diff(distinct)
    before = np.concatenate([[np.inf], gap])[alone]
    after = np.concatenate([gap, [np.inf]])[alone]
    slack = _ROUNDING * np.abs(distinct[alone])
    chosen = np.stack([before <= after + slack, after <= before + slack], axis=1)
    around = np.stack([alone - 1, alone + 1], axis=1)
    start = np.concatenate([[0], np.cumsum(chosen.sum(axis=1))])
    nearest = around[chosen]
    if len(nearest) == len(values) == len(distinct):
        return _one_each(first[nearest[point]])
    return _lone(point.astype(np.int64), size, first[alone], start, nearest)


def _search(points: Floats, queries: Ints, workers: int) -> tuple[Ints, Ints]:
    """Nearest points of the query points, by whichever exact search is faster here."""
    rows, dimension = points.shape
    tree = cKDTree(points, leafsize=16) if dimension <= MOST_TREE_DIMENSIONS else None
    if tree is None:
        return _by_brute_force(np.arange(rows), points, queries, workers)
    if rows > SMALL and dimension > 2 and _tree_seconds(tree, points) > _brute_seconds(points):
        return _by_brute_force(np.asarray(tree.indices), points, queries, workers)
    return _by_tree(tree, points, queries, workers)


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _tree_seconds(tree: cKDTree, points: Floats) -> float:
    """What querying every point would take on one core, from a spread-out sample."""
    sample = points[tree.indices[:: max(1, len(points) // 64)]]
    return _seconds(lambda: tree.query(sample, k=3)) / len(sample) * len(points)


def _brute_seconds(points: Floats) -> float:
    """What comparing all pairs would take on one core, from one tile."""
    tiles = _Tiles.of(points[:TILE_ROWS])
    left, room = tiles.left(np.arange(QUERY_ROWS)), tiles.room()
    with one_thread(only="blas"):
        seconds = _seconds(lambda: tiles.scores(left, 0, room).argmin(axis=1))
    return seconds / (QUERY_ROWS * TILE_ROWS) * len(points) ** 2


def _seconds(work: Callable[[], object]) -> float:
    """The best of three: other processes can only slow a measurement down."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def _by_tree(tree: cKDTree, points: Floats, queries: Ints, workers: int) -> tuple[Ints, Ints]:
    by_leaf = queries[np.argsort(_positions(tree.indices)[queries])]  # neighbours in the tree share cache lines
    nearby = min(3, len(points))
    distance, index = tree.query(points[by_leaf], k=nearby, workers=workers)
    slot = np.where(index[:, 0] == by_leaf, 1, 0)  # the point itself is at distance 0, first but for underflow
    rows = np.arange(len(by_leaf))
    best, found = distance[rows, slot], index[rows, slot]
    check_apart(best)
    tied = distance[:, 2] <= best * (1 + SLACK) if nearby == 3 else np.zeros(len(by_leaf), dtype=bool)
    pairs = [(by_leaf[~tied], found[~tied].astype(np.int64))]
    for some in np.array_split(np.flatnonzero(tied), max(1, int(tied.sum()) // 4096)):
        if len(some):
            balls = tree.query_ball_point(
                points[by_leaf[some]], best[some] * (1 + SLACK), workers=workers, return_sorted=False
            )
            lengths = np.fromiter(map(len, balls), dtype=np.int64, count=len(some))
            pairs.append((np.repeat(by_leaf[some], lengths), np.concatenate(balls).astype(np.int64)))
            _check_ties(sum(len(candidates) for _, candidates in pairs))
    return _closest(points, queries, np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs]))


def _positions(order: NDArray[np.integer]) -> Ints:
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return position


def _by_brute_force(order: Ints, points: Floats, queries: Ints, workers: int) -> tuple[Ints, Ints]:
    """All pairs in float32 tiles; whatever rounding leaves undecided is settled in float64.

    `order` puts close points side by side where it can: a row's neighbour is then in its own tile, which is met first.
    """
    centred = (points - points.mean(axis=0))[order]
    tiles = _Tiles.of(centred)
    asked = np.sort(_positions(order)[queries])
    blocks = [asked[k : k + QUERY_ROWS] for k in range(0, len(asked), QUERY_ROWS)]
    # Threads take blocks; the matrix products inside them must not start threads of their own.
    with one_thread(only="blas"), ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(tiles.candidates, blocks))
    _check_ties(sum(len(candidates) for _, candidates in found))
    rows, candidates = (order[np.concatenate(part)].astype(np.int64) for part in zip(*found, strict=True))
    return _closest(points, queries, rows, candidates)


@dataclass(frozen=True)
class _Tiles:
    """Points cut into tiles, ready to be scored against blocks of queries by one matrix product each."""

    points: Floats
    squared: Floats
    dtype: type[np.floating]
    factors: tuple[NDArray[np.floating], ...]

    @classmethod
    def of(cls, points: Floats) -> _Tiles:
        squared = (points**2).sum(axis=1)
        dtype = _precision(points, squared)
        columns = np.vstack([-2 * points.T, squared])
        factors = tuple(
            np.ascontiguousarray(columns[:, k : k + TILE_ROWS], dtype=dtype) for k in range(0, len(points), TILE_ROWS)
        )
        return cls(points=points, squared=squared, dtype=dtype, factors=factors)

    def scores(self, left: NDArray[np.floating], tile: int, room: NDArray[np.floating]) -> NDArray[np.floating]:
        """|p|^2 - 2 q.p for every query q and point p: it orders the points as their distance from q does."""
        right = self.factors[tile]
        return np.matmul(left, right, out=room[: len(left) * right.shape[1]].reshape(len(left), right.shape[1]))

    def room(self) -> NDArray[np.floating]:
        """Memory for one tile of scores; reusing it spares a page fault for every few numbers."""
        return np.empty(QUERY_ROWS * TILE_ROWS, dtype=self.dtype)

    def left(self, block: Ints) -> NDArray[np.floating]:
        return np.hstack([self.points[block], np.ones((len(block), 1))]).astype(self.dtype)

    def candidates(self, block: Ints) -> tuple[Ints, Ints]:
        """Pairs (query, point) that could be nearest, given the rounding of the scores."""
        left, room = self.left(block), self.room()
        slack = 2 * _rounding(self.squared[block], self.squared.max(), self.points.shape[1], self.dtype)
        best = np.full(len(block), np.inf)
        kept: list[tuple[Ints, Ints, Floats]] = []
        home = int(block[0]) // TILE_ROWS
        for tile in [*range(home, len(self.factors)), *range(home)]:
            begin = tile * TILE_ROWS
            scores = self.scores(left, tile, room)
            own = np.flatnonzero((block >= begin) & (block < begin + TILE_ROWS))
            scores[own, block[own] - begin] = np.inf
            lowest = scores[np.arange(len(block)), scores.argmin(axis=1)]
            near = np.flatnonzero(lowest <= best + slack)
            best = np.minimum(best, lowest)
            close = scores[near]
            limit = (best + 2 * slack)[near, None].astype(scores.dtype)  # in their own precision: no slow conversion
            row, column = np.divmod(np.flatnonzero(close <= limit), scores.shape[1])
            kept.append((near[row], column + begin, close[row, column].astype(np.float64)))
        rows, columns, values = (np.concatenate(part) for part in zip(*kept, strict=True))
        still = values <= (best + slack)[rows]
        return block[rows[still]], columns[still]


def _precision(centred: Floats, squared: Floats) -> type[np.floating]:
    """float32, unless columns differ so much in size that its rounding would hide the nearest distances."""
    sample = centred[:: max(1, len(centred) // 64)]
    distance = ((sample[:, None, :] - sample[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    # A nearest distance shrinks with the d-th root of the number of points.
    nearest = float(np.median(distance.min(axis=1))) * (len(sample) / len(centred)) ** (2 / centred.shape[1])
    rounding = _rounding(np.median(squared), squared.max(), centred.shape[1], np.float32)
    return np.float32 if rounding < 1e-2 * nearest and squared.max() < _LARGEST_SINGLE else np.float64


def _rounding(squared: Any, largest: float, dimension: int, dtype: type[np.floating]) -> Any:
    """Bound on the error of a score: unit rounding x number of terms x size of what is added up."""
    return 2 * (dimension + 4) * np.finfo(dtype).eps * (squared + largest)


def _closest(points: Floats, queries: Ints, rows: Ints, candidates: Ints) -> tuple[Ints, Ints]:
    """Of candidate pairs keep those at exactly the smallest distance, grouped by query."""
    order = np.argsort(rows, kind="stable")
    other = rows[order] != candidates[order]
    rows, candidates = rows[order][other], candidates[order][other]
    begin = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    if len(begin) == len(rows):  # one candidate each: nothing to settle
        return np.arange(len(queries) + 1), candidates
    distance = np.empty(len(rows))
    chunk = max(1, (1 << 20) // points.shape[1])  # the differences of so many pairs stay in the cache
    for k in range(0, len(rows), chunk):
        part = slice(k, k + chunk)
        distance[part] = np.sqrt(((points[rows[part]] - points[candidates[part]]) ** 2).sum(axis=1))
    smallest = np.minimum.reduceat(distance, begin)
    check_apart(smallest)
    kept = distance == np.repeat(smallest, np.diff(np.r_[begin, len(rows)]))
    counts = np.add.reduceat(kept.astype(np.int64), begin)
    return np.concatenate([[0], np.cumsum(counts)]), candidates[kept]


def check_apart(distance: Floats) -> None:
    """Refuse points so close, for all the different ones, that rounding and not distance would say which is nearer."""
    if len(distance) and distance.min() < SHORTEST:
        raise ValueError(TOO_DIFFERENT)


def _check_ties(pairs: int) -> None:
    if pairs > MOST_TIES:
        raise ValueError(
            "Nearly every row is equally far from every other, as with an identifier column; leave that column out."
        )

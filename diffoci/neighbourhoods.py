"""The M nearest neighbours of every row, exactly; where several are equally far at the border, each counts in part.

Of the rows at the border's distance any could be drawn to make up the number, so each counts with the share of draws
that take it: the exact expectation, as with one neighbour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from diffoci.inputs import Floats, Ints
from diffoci.neighbours import MOST_TREE_DIMENSIONS, SLACK, check_apart, cores, distinct_rows

# Up to this many distinct points all distances are simply computed.
FEW_POINTS = 1024
# Pairs of points looked at together: their differences stay in the cache.
_PAIRS_AT_ONCE = 1 << 20
# Near rows for each near point, from which on points are cheaper to look at than rows.
_MOST_TIED = 4


@dataclass(frozen=True)
class Shares:
    """What rows of one point count for a row of another, as a matrix, so that many sets of rows are asked at once.

    `members` has a line for every point and a one for each of its rows; it is None where every row is a point. Rows of
    points that the matrix says nothing of count `rest`, which the matrix's own entries are told less by.
    """

    matrix: sparse.csr_array
    members: sparse.csr_array | None
    itself: Floats
    rest: Floats

    def within(self, sets: NDArray[np.bool_]) -> Floats:
        """Of every set of rows, a column each: the sum over its rows of the share of their neighbours in it."""
        count = sets.astype(np.float64) if self.members is None else self.members @ sets.astype(np.float64)
        near = np.einsum("pb,pb->b", count, self.matrix @ count)
        return np.asarray(near - self.itself @ count + (self.rest @ count) * (sets.sum(axis=0) - 1))


@dataclass(frozen=True)
class Neighbourhoods:
    """For every distinct point the points that hold the nearest rows, and what one row there counts.

    `point` is every row's point, `first` the first row of each point, `size` how many it has. A row at point p has the
    rows of the points `near[start[p]:start[p + 1]]`, itself left out, as neighbours, and `weight` is what each of them
    counts. Where everybody else is equally far, as with the levels of one nominal column, all other rows count `rest`
    each. Over all neighbours of a row it adds up to 1.
    """

    point: Ints
    first: Ints
    size: Ints
    start: Ints
    near: Ints
    weight: Floats
    rest: Floats

    def of_rows(self) -> tuple[Ints, Ints, Floats]:
        """Every row with each of its points, as pairs, and the weight of a row there."""
        count = np.diff(self.start)[self.point]
        row = np.repeat(np.arange(len(self.point)), count)
        begin = np.repeat(self.start[self.point] - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
        entry = np.arange(len(row)) + begin
        return row, self.near[entry], self.weight[entry]

    def row_pairs(self) -> tuple[Ints, Ints, Floats] | None:
        """Every row with each of its near rows, and the weight there; None where ties make these pairs many."""
        row, point, weight = self.of_rows()
        size = self.size[point]
        pairs = int(size.sum())
        if self.rest.any() or pairs > _MOST_TIED * len(row):
            return None
        members = np.argsort(self.point, kind="stable")
        begin = (np.cumsum(self.size) - self.size)[point] - (np.cumsum(size) - size)
        other = members[np.arange(pairs) + np.repeat(begin, size)]
        row, weight = np.repeat(row, size), np.repeat(weight, size)
        kept = row != other
        return row[kept], other[kept], weight[kept]

    def shares(self) -> Shares:
        """The same as a matrix from point to point."""
        points, rows = len(self.size), len(self.point)
        owner = np.repeat(np.arange(points), np.diff(self.start))
        matrix = sparse.csr_array(
            (self.weight - self.rest[owner], self.near, self.start), shape=(points, points), dtype=np.float64
        )
        members = sparse.csr_array((np.ones(rows), (self.point, np.arange(rows))), shape=(points, rows))
        return Shares(matrix, None if points == rows else members, matrix.diagonal(), self.rest)


@dataclass(frozen=True)
class PlainNeighbourhoods:
    """The nearest rows of every row, one line each, where no two are equally far at the border."""

    nearest: NDArray[np.intp]

    def shares(self) -> Shares:
        """The same as a matrix from row to row."""
        rows, count = self.nearest.shape
        start = np.arange(rows + 1) * count
        matrix = sparse.csr_array((np.full(rows * count, 1 / count), self.nearest.ravel(), start), shape=(rows, rows))
        return Shares(matrix, None, np.zeros(rows), np.zeros(rows))


def automatic(rows: int) -> int:
    """About the root of the number of rows: nearly the power of a rank test, and blind to nothing.

    >>> automatic(400), automatic(10_000)
    (20, 100)
    """
    return max(1, round(math.sqrt(rows)))


def neighbourhoods(points: Floats, count: int) -> Neighbourhoods | PlainNeighbourhoods:
    """Find the `count` nearest other rows of every row.

    Parameters
    ----------
    points : array of shape (n, d)
        Finite float64 coordinates.
    count : int
        From 1 to n - 1.
    """
    first, point, size = distinct_rows(points)
    if len(first) == len(points) and (plain := _without_ties(points, count)) is not None:
        return PlainNeighbourhoods(plain)
    search = _Search.of(points if len(first) == len(points) else np.ascontiguousarray(points[first]), count)
    parts = [_entries(search, size, block) for block in search.blocks()]
    lengths, near, weight, rest = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Neighbourhoods(point, first, size, np.concatenate([[0], np.cumsum(lengths)]), near, weight, rest)


def _without_ties(points: Floats, count: int) -> NDArray[np.intp] | None:
    """The nearest rows of distinct points; None where some are equally far at the border."""
    if points.shape[1] == 1:
        return _on_a_line(points[:, 0], count)
    if len(points) <= FEW_POINTS or points.shape[1] > MOST_TREE_DIMENSIONS or count + 1 >= len(points):
        return None
    distance, index = cKDTree(points, leafsize=16).query(points, k=count + 2, workers=cores())
    check_apart(distance[:, 1])
    itself = bool((index[:, 0] == np.arange(len(points))).all())
    apart = bool((distance[:, count + 1] > distance[:, count] * (1 + SLACK)).all())
    return index[:, 1:-1] if itself and apart else None


def _on_a_line(values: Floats, count: int) -> NDArray[np.intp] | None:
    """Along the sorted values the nearest are a window: its beginning is found by halving."""
    order = np.argsort(values)
    line, rows = values[order], np.arange(len(values))
    low, high = np.maximum(rows - count, 0), np.minimum(rows, len(rows) - 1 - count)
    padded = np.append(line, np.inf)
    while (low < high).any():
        middle = (low + high) // 2
        good = line - line[middle] <= padded[middle + count + 1] - line
        low, high = np.where(good, low, middle + 1), np.where(good, middle, high)
    if (line - line[low] == padded[low + count + 1] - line).any():
        return None
    window = low[:, None] + np.arange(count)
    window += window >= rows[:, None]
    nearest = np.empty_like(window)
    nearest[order] = order[window]
    return nearest


def _entries(search: _Search, size: Ints, block: Ints) -> tuple[Ints, Ints, Floats, Floats]:
    """Of some points: how many entries each has, which points they are, what a row there counts, and any other row."""
    owner, other, distance = search.candidates(block)
    order = _sorted(owner, other, distance, len(block))
    owner, other, distance = owner[order], other[order], distance[order]
    rows = size[other] - (block[owner] == other)  # of one's own point all but oneself
    nearer = np.cumsum(rows) - rows
    nearer -= nearer[np.searchsorted(owner, np.arange(len(block)))][owner]
    # Rows at one distance are taken together: how many are nearer than that, and how many there are at it.
    begins = np.flatnonzero(np.r_[True, (owner[1:] != owner[:-1]) | (distance[1:] != distance[:-1])])
    tied = np.repeat(np.arange(len(begins)), np.diff(np.r_[begins, len(owner)]))
    before, among = nearer[begins][tied], np.add.reduceat(rows, begins)[tied]
    share = np.clip(search.count - before, 0, among) / np.maximum(among, 1)
    # Points tied at the border are many in high dimensions of few values: told once where they are all the others.
    points = np.bincount(tied, minlength=len(begins))[tied]
    everybody = (points > 2) & (before + among == size.sum() - 1) & (before < search.count)
    rest = np.zeros(len(block))
    rest[owner[everybody]] = share[everybody] / search.count
    kept = (share > 0) & (rows > 0) & ~everybody
    return np.bincount(owner[kept], minlength=len(block)), other[kept], share[kept] / search.count, rest


def _sorted(owner: Ints, other: Ints, distance: Floats, owners: int) -> NDArray[np.intp]:
    """The order by owner, then distance, then other.

    Where owners have about as many entries each, a matrix with a row for each is sorted row by row: rows are short, and
    that is several times as fast.
    """
    lengths = np.bincount(owner, minlength=owners)
    width = int(lengths.max())
    if width * owners > 2 * len(owner):
        return np.lexsort((other, distance, owner))
    by_owner = np.argsort(owner.astype(np.min_scalar_type(owners)), kind="stable")  # few bits are sorted fastest
    filled = np.arange(width) < lengths[:, None]
    others = np.full(filled.shape, np.iinfo(np.int64).max)
    others[filled] = other[by_owner]
    far = np.full(filled.shape, np.inf)
    far[filled] = distance[by_owner]
    by_other = np.argsort(others, axis=1, kind="stable")
    by_distance = np.argsort(np.take_along_axis(far, by_other, axis=1), axis=1, kind="stable")
    places = np.take_along_axis(by_other, by_distance, axis=1) + (np.cumsum(lengths) - lengths)[:, None]
    return np.asarray(by_owner[places[filled]])


@dataclass(frozen=True)
class _Search:
    """Distinct points, and the way their near ones are found: a tree, or all distances where that is as good."""

    points: Floats
    count: int
    tree: cKDTree | None

    @classmethod
    def of(cls, points: Floats, count: int) -> _Search:
        plain = len(points) <= FEW_POINTS or points.shape[1] > MOST_TREE_DIMENSIONS
        return cls(points, count, None if plain else cKDTree(points, leafsize=16))

    def blocks(self) -> list[Ints]:
        each = len(self.points) if self.tree is None else self.count + 2
        rows = max(1, _PAIRS_AT_ONCE // each)
        return [np.arange(k, min(k + rows, len(self.points))) for k in range(0, len(self.points), rows)]

    def candidates(self, block: Ints) -> tuple[Ints, Ints, Floats]:
        """Pairs of a point of the block and one that may be near, with their distance; no near one is missing."""
        owner, other = self._pairs_of_all(block) if self.tree is None else self._pairs_of_tree(self.tree, block)
        distance = _distances(self.points, block[owner], other)
        check_apart(distance[block[owner] != other])
        return owner, other, distance

    def _pairs_of_all(self, block: Ints) -> tuple[Ints, Ints]:
        distance = cdist(self.points[block], self.points)
        last = min(self.count, len(self.points) - 1)
        border = np.partition(distance, last, axis=1)[:, last] * (1 + SLACK)
        owner, other = np.nonzero(distance <= border[:, None])
        return owner, other

    def _pairs_of_tree(self, tree: cKDTree, block: Ints) -> tuple[Ints, Ints]:
        wanted = min(self.count + 2, len(self.points))
        found, index = tree.query(self.points[block], k=wanted, workers=cores())
        border = found[:, min(self.count, wanted - 1)] * (1 + SLACK)
        more = (found[:, -1] <= border) & (wanted < len(self.points))  # at the border lie more than were asked for
        owner, column = np.nonzero((found <= border[:, None]) & ~more[:, None])
        pairs = [(owner, index[owner, column])]
        if more.any():
            some = np.flatnonzero(more)
            balls = tree.query_ball_point(self.points[block[some]], border[some], workers=cores(), return_sorted=False)
            lengths = np.fromiter(map(len, balls), dtype=np.int64, count=len(some))
            pairs.append((np.repeat(some, lengths), np.concatenate(balls).astype(np.int64)))
        return np.concatenate([one for one, _ in pairs]), np.concatenate([other for _, other in pairs])


def _distances(points: Floats, rows: Ints, others: Ints) -> Floats:
    """Computed alike wherever the pair was found, so that equal distances are equal."""
    distance = np.empty(len(rows))
    chunk = max(1, _PAIRS_AT_ONCE // points.shape[1])
    for begin in range(0, len(rows), chunk):
        part = slice(begin, begin + chunk)
        distance[part] = np.sqrt(((points[rows[part]] - points[others[part]]) ** 2).sum(axis=1))
    return distance

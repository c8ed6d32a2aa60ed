"""The response Y as ranks or classes, and how well a row agrees with its nearest neighbours on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from diffoci.inputs import Floats, Ints, as_series, is_nominal, level_codes, numbers
from diffoci.neighbourhoods import Neighbourhoods, PlainNeighbourhoods
from diffoci.neighbours import Neighbours

Graph = Neighbours | Neighbourhoods | PlainNeighbourhoods
# Rows whose neighbours are compared at once, so that what is compared stays in the cache.
_PAIRS_AT_ONCE = 1 << 18
CONSTANT = "{name} is constant, so nothing about it can be explained; choose another column."


class Response(Protocol):
    """What the coefficients need of Y, with `k(i, j) = min(r_i, r_j)` summed over its indicators.

    `full` is k(i, i) of every row, `chance` the sum of n k(i, j) that independence would give
    (the paper's l_i^2), `spread` the denominator of the unconditional coefficient.
    """

    @property
    def full(self) -> Floats: ...

    @property
    def chance(self) -> float: ...

    @property
    def spread(self) -> float: ...

    def agreement(self, neighbours: Graph) -> Floats:
        """Mean of k(i, j) over the nearest neighbours j of every row i."""
        ...

    def agreement_with(self, chosen: Ints) -> Floats:
        """k(i, chosen_i) for one neighbour a row."""
        ...

    def permuted(self, order: Ints) -> Response:
        """The same response with its rows rearranged."""
        ...

    def rearranged_sums(self, neighbours: Graph, orders: Ints) -> Floats:
        """The sum of `agreement` with the rows in each of some orders, one line each."""
        ...


@dataclass(frozen=True)
class Ranks:
    """An ordered response: `rank` is the number of values not above a row's own."""

    rank: Ints
    chance: float
    spread: float

    @property
    def full(self) -> Floats:
        return self.rank.astype(np.float64)

    def agreement_with(self, chosen: Ints) -> Floats:
        return np.minimum(self.rank, self.rank[chosen]).astype(np.float64)

    def permuted(self, order: Ints) -> Ranks:
        return Ranks(self.rank[order], self.chance, self.spread)

    def rearranged_sums(self, neighbours: Graph, orders: Ints) -> Floats:
        pairs = neighbours.row_pairs() if isinstance(neighbours, Neighbourhoods) else None
        if pairs is None:
            return np.array([self.permuted(order).agreement(neighbours).sum() for order in orders])
        row, other, weight = pairs
        here, there = np.empty(len(row)), np.empty(len(row))  # made once: new memory costs more than the sums
        sums = np.empty(len(orders))
        for k, rank in enumerate(self.full[orders]):
            np.take(rank, row, out=here, mode="clip")
            np.take(rank, other, out=there, mode="clip")
            sums[k] = np.einsum("i,i", weight, np.minimum(here, there, out=here))
        return sums

    def agreement(self, neighbours: Graph) -> Floats:
        if isinstance(neighbours, PlainNeighbourhoods):
            return self._among(neighbours.nearest)
        if isinstance(neighbours, Neighbourhoods):
            return self._within(neighbours)
        if neighbours.simple:
            return self.agreement_with(neighbours.nearest)
        point, size = neighbours.point, neighbours.size
        total = self._totals(point, size)
        mean = np.empty(len(point))
        shared = np.flatnonzero(size[point] > 1)
        mean[shared] = (total(shared, point[shared]) - self.rank[shared]) / (size[point[shared]] - 1)
        ties = np.diff(neighbours.start)
        if len(ties):
            sums = total(np.repeat(neighbours.lone, ties), neighbours.nearest)
            mean[neighbours.lone] = _per_row(sums, neighbours) / _per_row(size[neighbours.nearest], neighbours)
        return mean

    def _among(self, nearest: Ints) -> Floats:
        parts = _chunks(nearest)
        return np.concatenate(
            [np.minimum(self.rank[part, None], self.rank[nearest[part]]).mean(axis=1) for part in parts]
        )

    def _within(self, near: Neighbourhoods) -> Floats:
        row, point, weight = near.of_rows()
        agreed = self._totals(near.point, near.size)(row, point) - self.rank[row] * (near.point[row] == point)
        mean = np.bincount(row, weights=weight * agreed, minlength=len(near.point)).astype(np.float64)
        if not near.rest.any():
            return mean
        ordered = np.sort(self.rank)
        below = np.searchsorted(ordered, self.rank, side="right")
        everybody = np.concatenate([[0], np.cumsum(ordered)])[below] + (len(ordered) - below) * self.rank - self.rank
        listed = np.bincount(row, weights=agreed, minlength=len(near.point))
        return np.asarray(mean + near.rest[near.point] * (everybody - listed))

    def _totals(self, point: Ints, size: Ints) -> Callable[[Ints, Ints], Ints]:
        """Return the sum of min(r_i, r_j) over the rows j of a point, for rows i and points."""
        members = np.lexsort((self.rank, point))
        end = np.cumsum(size)
        key = point[members] * (len(point) + 1) + self.rank[members]
        running = np.concatenate([[0], np.cumsum(self.rank[members])])

        def total(rows: Ints, points: Ints) -> Ints:
            # Below r_i each counts itself, above it r_i.
            rank = self.rank[rows]
            below = np.searchsorted(key, points * (len(point) + 1) + rank, side="right")
            lower: Ints = running[below] - running[end[points] - size[points]]
            return lower + (end[points] - below) * rank

        return total


@dataclass(frozen=True)
class Classes:
    """A response of classes: rows agree by `base`, and by `weight` of their class more when they share it."""

    code: Ints
    base: float
    weight: Floats
    chance: float
    spread: float

    @property
    def full(self) -> Floats:
        return self.base + self.weight[self.code]

    def agreement_with(self, chosen: Ints) -> Floats:
        same: Floats = self.weight[self.code] * (self.code == self.code[chosen])
        return self.base + same

    def permuted(self, order: Ints) -> Classes:
        return Classes(self.code[order], self.base, self.weight, self.chance, self.spread)

    def rearranged_sums(self, neighbours: Graph, orders: Ints) -> Floats:
        if isinstance(neighbours, Neighbours):
            return np.array([self.permuted(order).agreement(neighbours).sum() for order in orders])
        shares = neighbours.shares()
        code = np.ascontiguousarray(self.code[orders].T)
        total = np.full(len(orders), self.base * len(self.code))
        for level in np.flatnonzero(self.weight):
            total += self.weight[level] * shares.within(code == level)
        return total

    def agreement(self, neighbours: Graph) -> Floats:
        if isinstance(neighbours, PlainNeighbourhoods):
            return self._among(neighbours.nearest)
        if isinstance(neighbours, Neighbourhoods):
            return self._within(neighbours)
        if neighbours.simple:
            return self.agreement_with(neighbours.nearest)
        point, size, levels = neighbours.point, neighbours.size, len(self.weight)
        count = np.bincount(point * levels + self.code, minlength=len(size) * levels)
        share = np.empty(len(point))
        shared = np.flatnonzero(size[point] > 1)
        share[shared] = (count[point[shared] * levels + self.code[shared]] - 1) / (size[point[shared]] - 1)
        ties = np.diff(neighbours.start)
        if len(ties):
            same = count[neighbours.nearest * levels + np.repeat(self.code[neighbours.lone], ties)]
            share[neighbours.lone] = _per_row(same, neighbours) / _per_row(size[neighbours.nearest], neighbours)
        return self.base + self.weight[self.code] * share

    def _among(self, nearest: Ints) -> Floats:
        same = [(self.code[part, None] == self.code[nearest[part]]).mean(axis=1) for part in _chunks(nearest)]
        return np.asarray(self.base + self.weight[self.code] * np.concatenate(same))

    def _within(self, near: Neighbourhoods) -> Floats:
        row, point, weight = near.of_rows()
        levels = len(self.weight)
        count = np.bincount(near.point * levels + self.code, minlength=len(near.size) * levels)
        same = count[point * levels + self.code[row]] - (near.point[row] == point)
        share = np.bincount(row, weights=weight * same, minlength=len(near.point))
        if near.rest.any():
            everybody = np.bincount(self.code, minlength=levels)[self.code] - 1
            listed = np.bincount(row, weights=same, minlength=len(near.point))
            share = share + near.rest[near.point] * (everybody - listed)
        return self.base + self.weight[self.code] * share


def _chunks(nearest: Ints) -> list[slice]:
    step = max(1, _PAIRS_AT_ONCE // nearest.shape[1])
    return [slice(begin, begin + step) for begin in range(0, len(nearest), step)]


def _per_row(values: Ints, neighbours: Neighbours) -> Ints:
    return np.add.reduceat(values, neighbours.start[:-1])


def as_response(values: Any, *, name: str = "y") -> Response:
    """Read Y: classes when it has two values or is nominal, ranks otherwise."""
    column = as_series(values, name=name)
    if is_nominal(column):
        code, levels = level_codes(column, name=name)
        if levels > 2:
            return nominal_response(code, levels)
    else:
        code = numbers(column, name=name)  # type: ignore[assignment]
    ordered, code = np.unique(code, return_inverse=True)
    if len(ordered) == 1 and len(column) > 1:
        raise ValueError(CONSTANT.format(name=name))
    return ordered_response(code.astype(np.int64), len(ordered))


def ordered_response(code: Ints, levels: int) -> Response:
    """Response of ordered codes 0..levels-1."""
    rows = len(code)
    count = np.bincount(code, minlength=levels)
    rank = np.cumsum(count)
    upper = rows - rank + count
    chance = float((upper.astype(np.float64) ** 2 * count).sum())
    spread = float((upper.astype(np.float64) * (rows - upper) * count).sum())
    if levels == 2:
        weight = np.array([0.0, count[1]])
        return Classes(code=code, base=float(count[0]), weight=weight, chance=chance, spread=spread)
    return Ranks(rank=rank[code], chance=chance, spread=spread)


def nominal_response(code: Ints, levels: int) -> Classes:
    """Response of three or more unordered classes: the sums over its one-against-the-rest indicators."""
    rows = len(code)
    count = np.bincount(code, minlength=levels).astype(np.float64)
    return Classes(
        code=code,
        base=float((rows - count).sum()),
        weight=count,
        chance=float((count**3 + (rows - count) * float(rows) ** 2).sum()),
        spread=float((count**2 * (rows - count)).sum()),
    )

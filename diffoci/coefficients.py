"""Exact coefficients of dependence: Chatterjee's xi and the Azadkia-Chatterjee T, with their tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr

from diffoci.inputs import (
    Floats,
    Ints,
    Standardize,
    as_points,
    as_series,
    check_lengths,
    is_nominal,
    level_codes,
    numbers,
)
from diffoci.kept_graphs import graph_of
from diffoci.neighbourhoods import automatic
from diffoci.neighbours import Neighbours, distinct_rows
from diffoci.response import CONSTANT, Graph, Response, as_response

Ties = Literal["average", "random"]
MOST_PERMUTATIONS = 1_000_000
# Rows times rearrangements that a test has in memory at a time.
_ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class DependenceTest:
    """A coefficient with what chance alone would give.

    `null_standard_error` is the spread of the coefficient when the null hypothesis holds. It is None,
    as is `p_value`, where neither theory nor rearranging rows gives a valid one. `null` are the coefficients of the
    rearranged rows, where they were rearranged; tests with one seed and as many rows rearrange them alike.
    """

    statistic: float
    n: int
    p_value: float | None
    null_standard_error: float | None
    null: Floats | None = field(default=None, repr=False, compare=False)


def xi(x: Any, y: Any) -> float:
    """Chatterjee's coefficient: how far y is a function of x (0 not at all, 1 entirely).

    Equal values of x are taken in the order of the rows, as scipy does; T averages over them instead.

    Examples
    --------
    >>> round(xi([1, 2, 3, 4, 5], [1, 4, 9, 16, 25]), 3)
    0.5
    """
    return xi_test(x, y).statistic


def xi_test(x: Any, y: Any) -> DependenceTest:
    """xi with its asymptotic p-value and standard error under independence."""
    line, column = as_series(x, name="x"), as_series(y, name="y")
    check_lengths(y=len(column), x=len(line))
    position = _on_a_scale(line)
    if is_nominal(column):
        code, levels = level_codes(column, name="y")
        if levels > 2:
            return _xi_of_classes(position, code, levels)
        values = code.astype(np.float64)
    else:
        values = numbers(column, name="y")
    ranks = _Ranks.of(values)
    if len(ranks.count) == 1:
        raise ValueError(CONSTANT.format(name="y"))
    statistic, error = ranks.xi_along(_order(position)), ranks.xi_null_error()
    return DependenceTest(statistic, len(values), float(ndtr(-statistic / error)), error)


def T(
    y: Any,
    z: Any,
    given: Any = None,
    *,
    neighbours: int | Literal["auto"] = 1,
    ties: Ties = "average",
    standardize: Standardize = "none",
    seed: int | None = None,
) -> float:
    """Azadkia and Chatterjee's coefficient: how far y is a function of z, given `given`.

    Parameters
    ----------
    y : array or Series
        Response. Numbers and ordered categories count by rank; strings and unordered categories of more
        than two levels count as classes, whatever their order.
    z, given : array, Series or DataFrame
        Columns, numeric and nominal ones mixed as they come.
    neighbours : int or "auto"
        How many nearest neighbours of a row are compared with it. One, as in R and in the paper, sees every kind of
        dependence and the ordinary kinds weakly; more see those better and mean the same at 0 and 1. "auto" is about
        the root of the number of rows.
    ties : {"average", "random"}
        Average over equally near neighbours (the exact expectation), or draw one as R's FOCI does.
    standardize : {"none", "scale", "bounded"}
        How to scale numeric columns first.
    seed : int, optional
        Of the draws of ``ties="random"``.

    Examples
    --------
    >>> round(T([1, 2, 3, 4, 5, 6], [10, 21, 33, 46, 60, 75]), 3)
    0.143
    """
    if ties not in ("average", "random"):
        raise ValueError(f"ties must be 'average' or 'random', not {ties!r}.")
    if ties == "random" and neighbours != 1:
        raise ValueError("ties='random' draws one neighbour, as R does; leave neighbours at 1, or average over ties.")
    problem = _Problem.read(y, z, given, neighbours=neighbours, standardize=standardize)
    if ties == "average":
        return problem.value(problem.response.agreement)
    draw = np.random.default_rng(seed)
    return problem.value(lambda graph: problem.response.agreement_with(draw_neighbours(graph, draw)))


def T_test(
    y: Any,
    z: Any,
    given: Any = None,
    *,
    neighbours: int | Literal["auto"] = 1,
    standardize: Standardize = "none",
    permutations: int = 999,
    within: Ints | None = None,
    seed: int | None = 0,
) -> DependenceTest:
    """T with a permutation p-value (one-sided: is the dependence larger than chance gives?).

    Rows of y are rearranged among all rows, or, with `given`, among rows that share the same `given`.
    Where `given` has almost no repeated rows nothing can be rearranged, and the p-value is None; codes of rows that are
    near each other in `given` can be handed over as `within`, and rows are then rearranged among those of one code.

    Examples
    --------
    >>> T_test(range(20), range(20), permutations=99).p_value
    0.01
    """
    if not 1 <= permutations <= MOST_PERMUTATIONS:
        raise ValueError(f"permutations must be from 1 to {MOST_PERMUTATIONS:,}, not {permutations:,}.")
    problem = _Problem.read(y, z, given, neighbours=neighbours, standardize=standardize)
    statistic = problem.value(problem.response.agreement)
    strata = problem.strata() if within is None else within
    rows = len(problem.response.full)
    if strata is not None and len(np.unique(strata)) > rows // 2:
        return DependenceTest(statistic, rows, None, None)
    null = np.concatenate([problem.rearranged_values(orders) for orders in _orders(rows, strata, permutations, seed)])
    p_value = (1 + np.count_nonzero(null >= statistic - 1e-12)) / (1 + permutations)
    return DependenceTest(statistic, rows, float(p_value), float(null.std()), null)


def draw_neighbours(graph: Neighbours, draw: np.random.Generator) -> Ints:
    """One nearest neighbour for every row, uniform among those equally near."""
    if graph.simple:
        return graph.nearest
    members = np.argsort(graph.point, kind="stable")
    begin = np.cumsum(graph.size) - graph.size
    chosen = np.empty(len(graph.point), dtype=np.int64)
    shared = np.flatnonzero(graph.size[graph.point] > 1)
    place = np.empty(len(members), dtype=np.int64)
    place[members] = np.arange(len(members))
    first, size = begin[graph.point[shared]], graph.size[graph.point[shared]]
    step = draw.integers(1, size)  # 1..size-1 places further round the group: never the row itself
    chosen[shared] = members[first + (place[shared] - first + step) % size]
    if len(graph.lone):
        weight = np.concatenate([[0], np.cumsum(graph.size[graph.nearest])])
        low, high = weight[graph.start[:-1]], weight[graph.start[1:]]
        ticket = draw.integers(low, high)
        pair = np.searchsorted(weight, ticket, side="right") - 1
        chosen[graph.lone] = members[begin[graph.nearest[pair]] + ticket - weight[pair]]
    return chosen


@dataclass(frozen=True)
class _Problem:
    """A response with the neighbour graphs of (given, z) and of given alone."""

    response: Response
    joint: Graph
    alone: Graph | None
    conditions: Floats | None

    @classmethod
    def read(
        cls, y: Any, z: Any, given: Any, *, neighbours: int | Literal["auto"], standardize: Standardize
    ) -> _Problem:
        column = as_series(y, name="y")
        features = as_points(z, name="z", standardize=standardize)
        lengths = {"y": len(column), "z": len(features)}
        conditions = None if given is None else as_points(given, name="given", standardize=standardize)
        if conditions is not None:
            lengths["given"] = len(conditions)
        check_lengths(**lengths)
        response = as_response(column)
        count = _count(neighbours, len(column))
        if conditions is None:
            return cls(response, graph_of(features.matrix(), count), None, None)
        matrix = conditions.matrix()
        return cls(response, graph_of(conditions.matrix(features), count), graph_of(matrix, count), matrix)

    def value(self, agreement: Any) -> float:
        near = float(agreement(self.joint).sum())
        return self._coefficient(near, None if self.alone is None else float(agreement(self.alone).sum()))

    def rearranged_values(self, orders: Ints) -> list[float]:
        """The coefficient with the rows of y in each of some orders."""
        near = self.response.rearranged_sums(self.joint, orders).tolist()
        if self.alone is None:
            return [self._coefficient(one, None) for one in near]
        known = self.response.rearranged_sums(self.alone, orders).tolist()
        return [self._coefficient(*both) for both in zip(near, known, strict=True)]

    def _coefficient(self, near: float, known: float | None) -> float:
        """The coefficient from the summed agreement with neighbours in (given, z), and in given alone."""
        response = self.response
        if known is None:
            return (len(response.full) * near - response.chance) / response.spread
        left = float(response.full.sum()) - known
        # Nothing of y is left to explain: y is a function of given, hence of (given, z). R's codec says 1 too.
        return (near - known) / left if left > 0 else 1.0

    def strata(self) -> Ints | None:
        return None if self.conditions is None else distinct_rows(self.conditions)[1]


def _count(neighbours: int | Literal["auto"], rows: int) -> int:
    count = automatic(rows) if neighbours == "auto" else neighbours
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or not 1 <= count < rows:
        raise ValueError(f"neighbours must be a whole number from 1 to {rows - 1}, or 'auto', not {neighbours!r}.")
    return int(count)


def _orders(rows: int, strata: Ints | None, permutations: int, seed: int | None) -> Iterator[Ints]:
    """The orders in which a test rearranges the rows, some at a time."""
    if strata is None and seed is not None and rows * permutations <= _ROWS_AT_ONCE:
        yield rearrangements(rows, permutations, seed)
        return
    draw = np.random.default_rng(seed)
    together = max(1, _ROWS_AT_ONCE // rows)
    for begin in range(0, permutations, together):
        count = min(together, permutations - begin)
        yield np.stack([rearranged(rows, strata, draw) for _ in range(count)])


@lru_cache(maxsize=2)  # the columns of a table are tested one after the other, all with the same orders
def rearrangements(rows: int, permutations: int, seed: int) -> Ints:
    """The orders in which `T_test` rearranges so many rows with a seed, one line each."""
    draw = np.random.default_rng(seed)
    orders = np.stack([draw.permutation(rows) for _ in range(permutations)])
    orders.flags.writeable = False
    return orders


def rearranged(rows: int, strata: Ints | None, draw: np.random.Generator) -> Ints:
    """Rows in a new order: any, or one that keeps every row among those of its stratum."""
    if strata is None:
        return draw.permutation(rows)
    small = strata.astype(np.min_scalar_type(int(strata.max(initial=0))))  # few bits are sorted fastest
    drawn = np.argsort(draw.random(rows))
    order = np.empty(rows, dtype=np.int64)
    order[np.argsort(small, kind="stable")] = drawn[np.argsort(small[drawn], kind="stable")]
    return order


def _on_a_scale(column: Any) -> Floats:
    if not is_nominal(column):
        return numbers(column, name="x")
    code, levels = level_codes(column, name="x")
    if levels > 2:
        raise ValueError("x has names without an order, and xi needs one; use T, or give numbers.")
    return code.astype(np.float64)


def _order(position: Floats) -> Ints:
    """Rows from the smallest position to the largest, equal ones as they come."""
    order = np.argsort(position)  # in no order among equal ones, and several times as fast as a stable sort
    along = position[order]
    new = along[1:] != along[:-1]
    if new.all():
        return order
    rows = len(position)
    return np.sort(np.concatenate([[0], np.cumsum(new)]) * rows + order) % rows


@dataclass(frozen=True)
class _Ranks:
    """How many values are at or below each (`rank`); of the distinct ones, in order, the same (`upto`) and `count`."""

    rank: Ints
    upto: Ints
    count: Ints

    @classmethod
    def of(cls, values: Floats) -> _Ranks:
        rows = len(values)
        order = np.argsort(values)
        along = values[order]
        upto = np.append(np.flatnonzero(along[1:] != along[:-1]) + 1, rows)
        count = np.diff(upto, prepend=0)
        rank = np.empty(rows, dtype=np.int64)
        rank[order] = np.arange(1, rows + 1) if len(upto) == rows else np.repeat(upto, count)
        return cls(rank, upto, count)

    def xi_along(self, order: Ints) -> float:
        """Chatterjee's coefficient of a line along which the rows lie in this order."""
        rows = len(self.rank)
        steps = int(np.abs(np.diff(self.rank[order])).sum(dtype=np.int64))
        if len(self.upto) == rows:
            return 1 - 3 * steps / (rows**2 - 1)
        below = (self.upto - self.count).astype(np.float64)
        return 1 - rows * steps / (2 * float(self.count @ (below * (rows - below))))

    def xi_null_error(self) -> float:
        """Asymptotic standard error of xi under independence, Chatterjee's plug-in formula where there are ties."""
        rows = len(self.rank)
        if len(self.upto) == rows:
            return float(np.sqrt(2 / (5 * rows)))
        rank = np.repeat(self.upto / rows, self.count)
        below = (self.upto - self.count) / rows
        index = np.arange(1, rows + 1)
        running = np.cumsum(rank)
        a = float(((2 * rows - 2 * index + 1) * rank**2).mean()) / rows
        b = float(((running + (rows - index) * rank) ** 2).mean()) / rows**2
        c = float(((2 * rows - 2 * index + 1) * rank).mean()) / rows
        d = float(self.count @ (below * (1 - below))) / rows
        return float(np.sqrt((a - 2 * b + c**2) / d**2 / rows))


def _xi_of_classes(position: Floats, code: Ints, levels: int) -> DependenceTest:
    """xi of an unordered response: sums over one-against-the-rest indicators above and below the line."""
    rows = len(code)
    along = code[np.argsort(position, kind="stable")]
    changed = along[1:] != along[:-1]
    changes = np.bincount(along[1:][changed], minlength=levels) + np.bincount(along[:-1][changed], minlength=levels)
    count = np.bincount(code, minlength=levels).astype(np.float64)
    statistic = 1 - rows * float(count @ changes) / (2 * float(count**2 @ (rows - count)))
    return DependenceTest(statistic, rows, None, None)

"""Rates and gaps of a population from weighted rows: each row counts for the people it stands for, and is drawn as one.

Rows are redrawn with their weights, so an interval widens where few rows stand for many people. A row's number of draws
is Poisson's; rows of one cell and one weight are drawn together, which is the same. Where there are more than some ten
thousand kinds of rows, the total of a cell is drawn from the normal distribution that sums of so many draws have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from diffoci.audit.decisions.group_rates import Successes
from diffoci.audit.decisions.grouping import Grouping
from diffoci.audit.decisions.intervals import Interval
from diffoci.audit.kinds import Positive, Share, Stored, Text
from diffoci.inputs import Floats, Ints

OVERALL = "everyone"
_MOST_KINDS = 20_000


class Weighted(Stored, frozen=True):
    """A rate of the population, each row counted by its weight.

    `effective` is how many equally weighted people would know it as well.
    """

    value: Share
    low: Share
    high: Share
    effective: Positive


class WeightedGap(Stored, frozen=True, kw_only=True):
    """How much a rate of one group exceeds that of the reference in the population; the interval is of this pair."""

    rate: Text
    group: Text
    reference: Text
    difference: Interval


@dataclass(frozen=True, eq=False)
class WeightedCounts:
    """People of the population by group, outcome and decision, as they are and redrawn."""

    groups: tuple[str, ...]
    total: Floats
    squares: Floats
    drawn: Floats
    confidence: float

    def rates(self, known: Mapping[str, Successes]) -> list[dict[str, Weighted]]:
        """Every group's rates; a rate that nobody counts in is left out."""
        found: list[dict[str, Weighted]] = [{} for _ in self.groups]
        for name, successes in known.items():
            (k, n), (_, n_squares) = successes(self.total), successes(self.squares)
            share = self._redrawn(successes)
            for g in np.flatnonzero(n > 0):
                value = float(min(1.0, k[g] / n[g]))
                low, high = self._limits(share[:, g], value)
                effective = float(n[g] ** 2 / n_squares[g])
                found[g][name] = Weighted(value, max(0.0, low), min(1.0, high), effective)
        return found

    def gaps(self, known: Mapping[str, Successes], judged: Iterable[int], reference: int | None) -> list[WeightedGap]:
        """Every judged group less the reference, or less all judged groups together where that is None."""
        members = list(judged)
        found = []
        for name, successes in known.items():
            k, n = successes(self.total)
            share = self._redrawn(successes)
            if reference is None:
                tables = self.total[members], self.drawn[:, members]
                against, called = tuple(_share(*successes(table.sum(-3))) for table in tables), OVERALL
            else:
                against, called = (_share(k, n)[reference], share[:, reference]), self.groups[reference]
            for g in members:
                if g == reference or n[g] == 0 or not np.isfinite(against[0]):
                    continue
                value = float(k[g] / n[g] - against[0])
                low, high = self._limits(share[:, g] - against[1], value)
                difference = Interval(value, max(-1.0, low), min(1.0, high))
                found.append(WeightedGap(rate=name, group=self.groups[g], reference=called, difference=difference))
        return found

    def _redrawn(self, successes: Successes) -> Floats:
        return _share(*successes(self.drawn))

    def _limits(self, draws: Floats, value: float) -> tuple[float, float]:
        draws, tail = draws[np.isfinite(draws)], (1 - self.confidence) / 2
        if not len(draws):
            return -1.0, 1.0
        low, high = np.quantile(draws, [tail, 1 - tail])
        return float(min(low, value)), float(max(high, value))


def weigh(
    groups: Grouping, label: Ints, selected: Ints, weights: Floats, *, replicates: int, seed: int, confidence: float
) -> WeightedCounts:
    """Count weighted rows by group, outcome and decision, and draw them anew.

    >>> groups = Grouping(("sex",), (("f",), ("m",)), np.array([0, 0, 1, 1]))
    >>> picked = np.array([0, 1, 0, 1])
    >>> counts = weigh(groups, picked, picked, np.array([1.0, 3, 1, 1]), replicates=100, seed=0, confidence=0.95)
    >>> counts.total[:, 1, 1].tolist()
    [3.0, 1.0]
    """
    shape = (len(groups), 2, 2)
    cell = np.ravel_multi_index((groups.codes, label, selected), shape)
    total, squares = _sums(cell, weights, shape), _sums(cell, weights**2, shape)
    drawn = _redraw(cell, weights, total, squares, replicates=replicates, seed=seed)
    drawn += _half_a_row(total, groups.codes, replicates=replicates, seed=seed)
    return WeightedCounts(groups.labels, total, squares, drawn, confidence)


def _share(k: Floats, n: Floats) -> Floats:
    return np.asarray(np.divide(k, n, out=np.full(np.shape(k), np.nan), where=np.asarray(n) > 0))


def _sums(cell: Ints, weights: Floats, shape: tuple[int, ...]) -> Floats:
    total: Floats = np.bincount(cell, weights=weights, minlength=int(np.prod(shape))).astype(np.float64)
    return total.reshape(shape)


def _half_a_row(total: Floats, group: Ints, *, replicates: int, seed: int) -> Floats:
    """Draws of cells that have no row, of rows of their group's mean weight; outcomes that nobody has stay empty."""
    rows = np.maximum(np.bincount(group, minlength=len(total)), 1)
    weight = (total.sum((1, 2)) / rows)[:, None, None]
    possible = (total.sum((0, 2)) > 0)[:, None] & (total.sum((0, 1)) > 0)
    empty = (total == 0) & possible
    return np.asarray(np.random.default_rng(seed).poisson(0.5 * empty, (replicates, *total.shape)) * weight)


def _redraw(cell: Ints, weights: Floats, total: Floats, squares: Floats, *, replicates: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    values, code = np.unique(weights, return_inverse=True)
    kinds, rows = np.unique(cell * len(values) + code, return_counts=True)
    if len(kinds) > _MOST_KINDS:
        noise = rng.standard_normal((replicates, *total.shape))
        return np.asarray(np.maximum(total + noise * np.sqrt(squares), 0.0))
    of_cell, weight = kinds // len(values), values[kinds % len(values)]
    drawn = np.empty((replicates, *total.shape))
    for b in range(replicates):
        drawn[b] = _sums(of_cell, weight * rng.poisson(rows), total.shape)
    return drawn

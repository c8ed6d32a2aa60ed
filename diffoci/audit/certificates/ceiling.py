"""A ceiling that binds every adversary: what nobody can exceed who receives finitely many cells, or one score.

Two groups differ by their total variation TV over the cells. No guess of the group from the cell has a balanced
accuracy above (1 + TV) / 2, and no decision made from the cell selects one group more often than the other by more than
TV. The TV of a sample errs upwards, and one person moves it by at most one in their group, so by McDiarmid's inequality

    TV <= TV of the sample + sqrt((1 / n0 + 1 / n1) ln(1 / delta) / 2)

but for a probability delta, whatever the number of cells. The same slack bounds the best possible AUC, and the gap of
all thresholds on a score at once. Of several groups, the best guess of all at once is bounded in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, log, pi, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:  # a list of runs needs no pandas, which comes with it
    from diffoci.inputs import Floats

CONFIDENCE = 0.95
REST = "all others"
# With more groups than this each is held against all others, and not against every one of them.
MOST_PAIRED = 12
# A ceiling says something where it leaves at most this share of the way from chance to always right.
ADVANTAGE = 0.2


@dataclass(frozen=True)
class Bound:
    """What is found between two groups, and what nobody can exceed with the confidence asked for.

    `people` are those of the two groups; `slack` is what the sample may be wrong by.
    """

    groups: tuple[str, str]
    people: tuple[int, int]
    found: float
    best_auc: float
    slack: float

    @property
    def tv(self) -> float:
        """Total variation at most; also the gap between the groups' selection rates under any decision."""
        return min(1.0, self.found + self.slack)

    @property
    def balanced_accuracy(self) -> float:
        """Of any guess of the group from the cell, at most."""
        return (1 + self.tv) / 2

    @property
    def auc(self) -> float:
        """Of any score of the group from the cell, at most."""
        return min(1.0, self.best_auc + self.slack)


@dataclass(frozen=True)
class Limit:
    """A score of the best guess in the sample, and what the sample may be wrong by."""

    found: float
    slack: float

    @property
    def most(self) -> float:
        """What nobody can exceed."""
        return min(1.0, self.found + self.slack)


@dataclass(frozen=True)
class Ceiling:
    """The bounds of every pair of groups and of each group against the rest, all holding at once.

    `naming` bounds the balanced accuracy of naming the group among all of them, `ranking` the AUC, for several groups
    the mean of each against the rest. Of two groups they are those of the only pair.
    """

    confidence: float
    sizes: tuple[int, ...]
    cells: int
    bounds: tuple[Bound, ...]
    naming: Limit
    ranking: Limit

    @property
    def worst(self) -> Bound:
        """The comparison whose ceiling is highest."""
        return max(self.bounds, key=lambda bound: (bound.tv, bound.auc))

    @property
    def comparisons(self) -> int:
        """Among how many the error is shared out."""
        return _comparisons_of(len(self.bounds))

    @property
    def least(self) -> float:
        """The lowest balanced accuracy that a ceiling on so many people could have."""
        return least_ceiling(self.sizes, error=(1 - self.confidence) / self.comparisons)

    @property
    def people_needed(self) -> int:
        """How many it would take for a ceiling that says something."""
        return people_needed(self.sizes, error=(1 - self.confidence) / self.comparisons, cells=self.cells)


def ceiling(counts: ArrayLike, groups: Sequence[str], *, confidence: float = CONFIDENCE) -> Ceiling | None:
    """Bound what anybody can make of the cells, from people by group and cell; None with fewer than two groups.

    The people must be ones that neither the cells nor any choice among them has seen. With more than two groups every
    pair, each group against all others, and the best guess among all groups are bounded, each at its share of the
    error, so that all hold together; of more than `MOST_PAIRED` groups there are no pairs.

    Examples
    --------
    >>> found = ceiling([[50, 50], [60, 40]], ["f", "m"])
    >>> round(found.worst.found, 3), round(found.worst.tv, 3)
    (0.1, 0.273)
    """
    table = np.asarray(counts, dtype=np.float64)
    present = [k for k in range(len(table)) if table[k].sum() > 0]
    if len(present) < 2:
        return None
    known = table[present]
    compared = list(_comparisons(table, groups, present))
    error = (1 - confidence) / _comparisons_of(len(compared))
    bounds = tuple(_bound(names, one, other, error) for names, one, other in compared)
    alone = bounds[0] if len(bounds) == 1 else None
    return Ceiling(
        confidence=confidence,
        sizes=tuple(int(size) for size in known.sum(axis=1)),
        cells=known.shape[1],
        bounds=bounds,
        naming=_naming(known, error),
        ranking=_ranking(known, error) if alone is None else Limit(alone.best_auc, alone.slack),
    )


def telling(groups: int) -> float:
    """The balanced accuracy above which a ceiling says little: 0.60 for two groups, as far from chance for more.

    >>> telling(2), round(telling(5), 2)
    (0.6, 0.36)
    """
    return round(1 / groups + ADVANTAGE * (1 - 1 / groups), 12)


def least_ceiling(sizes: Sequence[int], *, error: float) -> float:
    """The lowest ceiling on the balanced accuracy that so many people could give: that of equal groups in one cell."""
    return min(1.0, 1 / len(sizes) + _naming_slack(np.asarray(sizes, dtype=np.float64), error))


def people_needed(sizes: Sequence[int], *, error: float, cells: int = 1) -> int:
    """About how many people it takes, in groups as unequal as these, for a `telling` ceiling if nothing is given away.

    Over several cells groups seem to differ although they do not: the likeliest group of a cell is ahead of the mean
    by what the largest of so many normal numbers is (for two groups exactly, for more after Blom).

    >>> people_needed([50, 50], error=0.05), people_needed([50, 50], error=0.05, cells=8)
    (150, 520)
    """
    size, groups = np.asarray(sizes, dtype=np.float64), len(sizes)
    largest = 1 / sqrt(pi) if groups == 2 else NormalDist().inv_cdf((groups - 0.375) / (groups + 0.25))
    seeming = largest / groups * sqrt((cells - 1) * float((1 / size).mean()))
    reach = (_naming_slack(size, error) + seeming) / (telling(groups) - 1 / groups)
    return ceil(round(float(size.sum()) * reach**2, 6))


def total_variation(one: Floats, other: Floats) -> float:
    """Half of how far two groups' shares lie apart, summed over cells."""
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def best_auc(one: Floats, other: Floats) -> float:
    """AUC of the best order of the cells: by how much likelier each is in the other group."""
    p, q = one / one.sum(), other / other.sum()
    return ordered_auc(p, q, q / np.maximum(p + q, np.finfo(np.float64).tiny))


def ordered_auc(one: Floats, other: Floats, score: Floats) -> float:
    """AUC of telling the other group's people by the score of their cell; cells of equal score are one.

    >>> ordered_auc(np.array([3, 1]), np.array([1, 3]), np.array([0.2, 0.7]))
    0.75
    """
    place = np.unique(score, return_inverse=True)[1]
    p, q = (np.bincount(place, weights=side / side.sum()) for side in (one, other))
    return float((q * (np.cumsum(p) - p / 2)).sum())


def _comparisons(
    table: Floats, groups: Sequence[str], present: Sequence[int]
) -> Iterator[tuple[tuple[str, str], Floats, Floats]]:
    for one, other in combinations(present, 2) if len(present) <= MOST_PAIRED else ():
        yield (groups[one], groups[other]), table[one], table[other]
    if len(present) > 2:
        everyone = table.sum(axis=0)
        for one in present:
            yield (groups[one], REST), table[one], everyone - table[one]


def _comparisons_of(bounds: int) -> int:
    """The best guess among all groups, by name and by order, are two more; of two groups they are the only pair's."""
    return bounds if bounds == 1 else bounds + 2


def _bound(names: tuple[str, str], one: Floats, other: Floats, error: float) -> Bound:
    sizes = int(one.sum()), int(other.sum())
    return Bound(names, sizes, total_variation(one, other), best_auc(one, other), slack(sizes, error))


def _naming(table: Floats, error: float) -> Limit:
    """Balanced accuracy of naming the likeliest group of every cell; one person moves only the share of their own."""
    size = table.sum(axis=1)
    return Limit(float((table / size[:, None]).max(axis=0).sum() / len(table)), _naming_slack(size, error))


def _naming_slack(size: Floats, error: float) -> float:
    return sqrt(float((1 / size).sum()) * log(1 / error) / 2) / len(size)


def _ranking(table: Floats, error: float) -> Limit:
    """Mean AUC of each group against the rest; one person moves all of them a little."""
    size, everyone = table.sum(axis=1), table.sum(axis=0)
    best = np.mean([best_auc(everyone - one, one) for one in table])
    rest = size.sum() - size
    moved = (1 / size + (1 / rest).sum() - 1 / rest) / len(table)
    return Limit(float(best), sqrt((size * moved**2).sum() * log(1 / error) / 2))


def slack(sizes: tuple[int, int], error: float) -> float:
    """What a sample of two groups of these sizes may be wrong by, but for a probability of `error`."""
    return sqrt((1 / sizes[0] + 1 / sizes[1]) * log(1 / error) / 2)

"""Which columns reveal an attribute: each alone, and pairs that do so only together, with corrected tests.

One look is not enough. T over about the root of n neighbours sees any dependence; tests of ranks see a plain shift and
a spread best, the chi-square of the table sees categories. A column's evidence is the strongest of these, each on the
scale of its own chance. Its p-value says how often rearranged rows give any column, by any look, as much (Westfall and
Young), so that looks and columns are both paid for. Rows are rearranged alike for all, so that columns which say the
same are not paid for twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import optimize, sparse, stats

from diffoci.coefficients import DependenceTest, T_test, rearrangements
from diffoci.inputs import Floats, Ints
from diffoci.neighbourhoods import automatic

# Of two hundred data sets whose columns tell nothing, one has a single column named by mistake, and one a pair.
SINGLE_LEVEL = PAIR_LEVEL = 0.005
# How a reader is told to read these tests.
HOW_TO_READ = (
    "AUC is how well the attribute, or the outcome, can be guessed from the column alone, on rows the guess did "
    "not learn from: 0.50 is chance, 1 is always right. A column counts as revealing if one of several tests says "
    "so: T (Azadkia and Chatterjee's coefficient, over many neighbours), which sees any dependence, and tests of "
    "ranks, of their spread or, for categories, of counts. A p-value says how often shuffled rows let any column "
    f"look as telling; at most {SINGLE_LEVEL} counts. “Would have been” means: in four of five samples of this "
    "size, for a shift, a wider spread or categories that lean towards a group. FOCI adds one column at a time, so "
    "it may miss columns that reveal only in pairs."
)
LEAST_PERMUTATIONS = round(1 / SINGLE_LEVEL) - 1
MOST_PAIRS = 200  # tested where nothing else is said: those that a screen on other rows puts first
MOST_COLUMNS_IN_PAIRS = 150
_BINS = 5  # of a number in the screen
_GUESSING_BINS = 20  # of a number when it is guessed from
_POWER, _LOOKS = 0.8, 3


@dataclass(frozen=True)
class Evidence:
    """What one column, or a pair, tells: T, the AUC of guessing from it alone, and the corrected p-value.

    `smallest_auc` is what would have been found, see `smallest_found`; of pairs neither AUC is known.
    """

    columns: tuple[str, ...]
    T: float
    auc: float | None
    p_value: float
    smallest_auc: float | None = None

    def reveals(self, level: float = SINGLE_LEVEL) -> bool:
        return self.p_value <= level


def single_columns(frame: pd.DataFrame, target: pd.Series, *, permutations: int, seed: int = 0) -> list[Evidence]:
    """Test every column for what it tells of the target, which has groups or classes."""
    _check_permutations(permutations)
    groups, code = _groups(target)
    tests = [T_test(groups, frame[[name]], neighbours="auto", permutations=permutations, seed=seed) for name in frame]
    members = _rearranged(code, permutations, seed)
    looks = [
        [
            _of_T(test, frame[name].nunique()),
            *(_of_ranks if _has_order(frame[name]) else _of_table)(frame[name], members),
        ]
        for name, test in zip(frame, tests, strict=True)
    ]
    return [
        Evidence(
            (str(name),),
            test.statistic,
            guessing_auc(frame[name], code, seed=seed),
            p_value,
            smallest_found(code, frame.shape[1], levels=_levels(frame[name])),
        )
        for name, test, p_value in zip(frame, tests, _family(looks), strict=True)
    ]


def pairs(
    frame: pd.DataFrame, target: pd.Series, *, permutations: int, seed: int = 0, most: int = MOST_PAIRS
) -> list[Evidence]:
    """Test pairs of columns for what they tell together; hand over columns that reveal nothing alone.

    Half of the rows rank all pairs by how much their crossing tells beyond each alone; the other half tests the first
    of them (`most`), so that having been chosen does not count as evidence.
    """
    _check_permutations(permutations)
    if frame.shape[1] < 2:
        return []
    groups, code = _groups(target)
    order = np.random.default_rng(seed).permutation(len(frame))
    screening, testing = order[: len(order) // 2], order[len(order) // 2 :]
    chosen = _screened(frame.iloc[screening], code[screening])[:most]
    rows, held = frame.iloc[testing].reset_index(drop=True), groups.iloc[testing].reset_index(drop=True)
    tests = [
        T_test(held, rows[list(pair)], neighbours="auto", standardize="scale", permutations=permutations, seed=seed)
        for pair in chosen
    ]
    points = [len(rows[list(pair)].drop_duplicates()) for pair in chosen]
    adjusted = _family([[_of_T(test, count)] for test, count in zip(tests, points, strict=True)])
    return [
        Evidence((str(first), str(second)), test.statistic, None, p_value)
        for (first, second), test, p_value in zip(chosen, tests, adjusted, strict=True)
    ]


def smallest_found(code: Ints, columns: int, *, levels: int = 2, level: float = SINGLE_LEVEL) -> float:
    """The AUC of the smallest group against the rest that would have been found in four of five samples.

    It is that of a shift, of a spread, or of categories (`levels` of them) that lean towards the group, in one of so
    many columns.

    >>> round(smallest_found(np.arange(3000) % 2, 30), 2)
    0.55
    """
    count = np.bincount(code)
    count = count[count > 0]
    freedom = (levels - 1) * max(len(count) - 1, 1)
    limit = stats.chi2.isf(level / (_LOOKS * max(columns, 1)), freedom)
    wanted = optimize.brentq(lambda shift: stats.ncx2.sf(limit, freedom, shift**2) - _POWER, 0, 10 * np.sqrt(limit))
    smaller, rest = int(count.min()), int(len(code) - count.min())
    return float(min(1.0, 0.5 + wanted * np.sqrt((len(code) + 1) / (12 * smaller * max(rest, 1)))))


def guessing_auc(column: pd.Series, code: Ints, *, seed: int = 0) -> float | None:
    """How well the target is guessed from one column alone, on rows that the guess did not learn from.

    Values are put into cells, cells in the order of how common each class is there on one half of the rows, and the
    other half is scored, both ways round. With several classes it is the mean of one against the rest.
    """
    cell = _cells(column, _GUESSING_BINS)
    half = np.random.default_rng(seed).permutation(len(code)) % 2
    classes = np.unique(code)
    areas = []
    for level in classes[1:] if len(classes) == 2 else classes:
        member = code == level
        for part in (0, 1):
            learn, score = half != part, half == part
            inside = np.bincount(cell[learn], weights=member[learn], minlength=cell.max() + 1)
            people = np.bincount(cell[learn], minlength=cell.max() + 1)
            rate = (inside + member[learn].mean()) / (people + 1)
            ones = int(member[score].sum())
            if 0 < ones < int(score.sum()):
                ranks = stats.rankdata(rate[cell[score]])
                areas.append((ranks[member[score]].sum() - ones * (ones + 1) / 2) / (ones * (score.sum() - ones)))
    return float(np.mean(areas)) if areas else None


def _groups(target: pd.Series) -> tuple[pd.Series, Ints]:
    """The target as T takes it (two groups as 0 and 1, more as classes without an order), and its codes."""
    named = target.astype("category").cat.remove_unused_categories()
    code: Ints = named.cat.codes.to_numpy().astype(np.int64)
    groups: pd.Series = pd.Series(code) if code.max() == 1 else named.cat.as_unordered().reset_index(drop=True)
    return groups, code


def _rearranged(code: Ints, permutations: int, seed: int) -> list[Floats]:
    """Of every level ones for its rows, a column for the rows as they are and one for each order that `T_test` has."""
    every = np.vstack([code, code[rearrangements(len(code), permutations, seed)]]).T
    return [np.ascontiguousarray(every == level, dtype=np.float64) for level in range(int(code.max()) + 1)]


def _of_T(test: DependenceTest, points: int) -> Floats:
    """The evidence of a coefficient followed by that of the rearranged rows.

    T over M neighbours varies by chance as a chi-square does with about n / M degrees of freedom, or with one less than
    there are different points.
    """
    every = np.array([test.statistic, *(() if test.null is None else test.null)])
    errors = (every - every.mean()) / max(float(every.std()), 1e-300)
    freedom = max(1.0, min(points - 1, test.n / automatic(test.n)))
    return _evidence(freedom + errors * np.sqrt(2 * freedom), freedom)


def _of_ranks(column: pd.Series, members: Sequence[Floats]) -> list[Floats]:
    """The evidence of a shift and of a spread, for every order: Kruskal and Wallis's test of ranks, and of how far they
    lie from the middle one.
    """
    values = column.cat.codes if isinstance(column.dtype, pd.CategoricalDtype) else column
    rank = stats.rankdata(values) - (len(column) + 1) / 2
    return [_of_one_rank(rank, members), _of_one_rank(stats.rankdata(np.abs(rank)), members)]


def _of_one_rank(rank: Floats, members: Sequence[Floats]) -> Floats:
    centred = rank - rank.mean()
    between = sum((centred @ one) ** 2 / max(float(one[:, 0].sum()), 1.0) for one in members)
    return _evidence(between / max(float(centred.var(ddof=1)), 1e-300), max(1, len(members) - 1))


def _of_table(column: pd.Series, members: Sequence[Floats]) -> list[Floats]:
    """The evidence of the chi-square of categories, for every order."""
    cell, rows = _cells(column, _BINS), len(column)
    table = sparse.csr_array((np.ones(rows), (cell, np.arange(rows))))
    people, total = np.bincount(cell)[:, None] / rows, np.zeros(members[0].shape[1])
    for one in members:
        expected = max(float(one[:, 0].sum()), 1.0) * people
        total += ((table @ one - expected) ** 2 / expected).sum(axis=0)
    return [_evidence(total, max(1, table.shape[0] - 1) * max(1, len(members) - 1))]


def _evidence(statistic: Floats, freedom: float) -> Floats:
    """How surprising a statistic is that chance gives as a chi-square: minus the logarithm of its tail."""
    return np.asarray(-np.log(np.maximum(stats.chi2.sf(statistic, freedom), 1e-300)))


def _family(looks: Sequence[Sequence[Floats]]) -> list[float]:
    """p-values that allow for every look at every column, by the evidence of each in every order of the rows."""
    if not looks:
        return []
    every = np.stack([np.max(of_column, axis=0) for of_column in looks])
    furthest = every[:, 1:].max(axis=0)
    return [float((1 + np.count_nonzero(furthest >= own - 1e-12)) / (1 + len(furthest))) for own in every[:, 0]]


def _screened(frame: pd.DataFrame, code: Ints) -> list[tuple[str, str]]:
    """Pairs by how much their crossing tells beyond each column alone, the most telling first."""
    cells = {str(name): _cells(frame[name], _BINS) for name in list(frame)[:MOST_COLUMNS_IN_PAIRS]}
    alone = {name: _told(cell, code) for name, cell in cells.items()}
    scores = {
        (a, b): _told(cells[a] * (int(cells[b].max()) + 1) + cells[b], code) - alone[a] - alone[b]
        for a, b in combinations(cells, 2)
    }
    return sorted(scores, key=lambda pair: -scores[pair])


def _told(cell: Ints, code: Ints) -> float:
    """Mutual information of cells and classes less what chance alone gives, in nats."""
    classes = int(code.max()) + 1
    joint = np.bincount(cell * classes + code, minlength=(int(cell.max()) + 1) * classes).reshape(-1, classes)
    joint = joint[joint.sum(axis=1) > 0]
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / len(code)
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.where(joint > 0, joint * np.log(joint / expected), 0.0).sum() / len(code)
    return float(information - (len(joint) - 1) * (classes - 1) / (2 * len(code)))


def _has_order(column: pd.Series) -> bool:
    return not isinstance(column.dtype, pd.CategoricalDtype) or bool(column.cat.ordered)


def _levels(column: pd.Series) -> int:
    """How many values the tests tell apart: two sides where there is an order."""
    return 2 if _has_order(column) else max(2, column.nunique())


def _check_permutations(permutations: int) -> None:
    if permutations < LEAST_PERMUTATIONS:
        raise ValueError(
            f"permutations must be at least {LEAST_PERMUTATIONS}, not {permutations}: fewer rearrangements cannot give "
            f"a p-value of {SINGLE_LEVEL}, and nothing would ever be said to reveal."
        )


def _cells(column: pd.Series, bins: int) -> Ints:
    """A number in bins of about equal size, anything else by its levels."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return np.unique(column.cat.codes.to_numpy(), return_inverse=True)[1].astype(np.int64)
    edges = np.unique(np.quantile(column.to_numpy(dtype=np.float64), np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, column.to_numpy(dtype=np.float64), side="right").astype(np.int64)

"""The three criteria of a score in one coefficient: independence, separation and sufficiency, each a zero of T.

Independence: the score tells nothing of the attribute, T(S, R) = 0. Separation: it tells nothing more among people with
the same outcome, T(S, R | Y) = 0. Sufficiency: among people with the same score the attribute tells nothing of the
outcome, T(Y, S | R) = 0. Given factors: T(S, R | L) = 0. No threshold and no groups are needed, so that attributes and
outcomes may be numbers.

T sees any dependence, and a plain shift weakly. So a test looks twice, by T and by ranks within what is given, and its
p-value says how often shuffled rows give as much by either look.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from msgspec.structs import replace

from diffoci.coefficients import T, T_test, rearranged
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.people import Decided, Model, People
from diffoci.model_audit.result import Criterion, CriterionName, Found
from diffoci.model_audit.spec import ModelSettings
from diffoci.neighbourhoods import automatic

# So often "found" is said of a criterion that holds.
LEVEL = 0.01
# Of rows that are rearranged among each other where what is given has no repeated values.
_NEAR = 20
# Times that rows are cut into halves, for the standard error of T, and of so many people at least.
_CUTS, _FEWEST_IN_HALF = 10, 20
ERROR_DEGREES = 8  # of freedom that an error of so many cuts has: it varies by a quarter from sample to sample


def criteria(
    people: People, model: Model, decision: Decided, attribute: str, settings: ModelSettings
) -> dict[CriterionName, Criterion]:
    """Every criterion that the columns allow, on the same rows, drawn at random where there are many.

    A model without a score is judged by its decision.
    """
    judged = model.score if model.score is not None else decision.selected
    if judged is None:
        return {}
    rows = sampled(len(people), settings)
    score = np.asarray(judged, dtype=np.float64)[rows]
    attributes = _column(people, attribute).iloc[rows].reset_index(drop=True)
    target = as_target(attributes)
    if np.ptp(score) == 0 or target.nunique() < 2:
        return {}
    few = _few_groups(attributes, settings)
    found: dict[CriterionName, Criterion | None] = {"independence": _tested(target, score, None, None, settings)}
    if people.outcome is not None:
        label = people.outcome.values[rows]
        if np.ptp(label) > 0:
            given = pd.Series(label).astype("str") if people.outcome.kind == "classes" else pd.Series(label)
            found["separation"] = _tested(target, score, given, near(label), settings)
            found["sufficiency"] = _tested(pd.Series(label), attributes, pd.Series(score), near(score), settings)
    if len(people.factors.columns):
        factors = people.factors.iloc[rows].reset_index(drop=True)
        strata = np.asarray(factors.groupby(list(factors.columns), observed=True).ngroup(), dtype=np.int64)
        if len(np.unique(strata)) > 1:
            named = pd.Series(strata).astype("str")
            found["given_factors"] = _tested(target, score, named, strata, settings)
    return {name: _humble(one) if few else one for name, one in found.items() if one is not None}


def _few_groups(column: pd.Series, settings: ModelSettings) -> bool:
    """Whether fewer than two groups have enough people to be judged; a number has no groups."""
    grouped = isinstance(column.dtype, pd.CategoricalDtype)
    return grouped and int((column.value_counts() >= settings.minimum).sum()) < 2


def _humble(found: Criterion) -> Criterion:
    """Of few people a departure can be found; that none was says nothing."""
    return found if found.answer == "found" else replace(found, answer="too few people")


def sampled(people: int, settings: ModelSettings) -> Ints:
    """The rows that coefficients are computed on, in their order."""
    if people <= settings.rows:
        return np.arange(people)
    drawn = np.random.default_rng(settings.seed).choice(people, settings.rows, replace=False)
    return np.sort(drawn).astype(np.int64)


def as_target(column: pd.Series) -> pd.Series:
    """An attribute as T takes it: two groups as 0 and 1, more as classes, numbers as they are."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column
    used = column.cat.remove_unused_categories()
    if len(used.cat.categories) == 2:
        return pd.Series(used.cat.codes.to_numpy(dtype=np.int64))
    return used.cat.as_unordered()


def near(values: Floats) -> Ints:
    """Codes of rows that are alike: those of one value, or, where values hardly repeat, of about twenty side by side.

    >>> int(near(np.array([0.0, 1.0] * 20)).max()), len(np.unique(near(np.arange(100.0))))
    (1, 5)
    """
    distinct, code = np.unique(values, return_inverse=True)
    if len(distinct) <= max(2, len(values) // _NEAR):
        return code.astype(np.int64)
    first = np.concatenate([[0], np.cumsum(np.bincount(code))[:-1]])  # equal values stay together
    return np.unique(first[code] // _NEAR, return_inverse=True)[1].astype(np.int64)


def _column(people: People, attribute: str) -> pd.Series:
    return people.groups[attribute] if attribute in people.groups else people.numbers[attribute]


def _tested(
    y: pd.Series, z: Floats | pd.Series, given: pd.Series | None, within: Ints | None, settings: ModelSettings
) -> Criterion | None:
    """A coefficient with its shuffles; None where what is given decides y, so that nothing is left to explain."""
    test = T_test(
        y,
        z,
        given,
        neighbours="auto",
        standardize="none" if given is None else "scale",
        permutations=settings.permutations,
        within=within,
        seed=settings.seed,
    )
    if given is not None and test.statistic == 1 and (test.null is None or float(test.null.min()) == 1):
        return None
    p_value = None
    if test.null is not None:
        looks = np.array([test.statistic, *test.null]), _by_ranks(y, pd.Series(z), within, settings)
        p_value = _either(*looks)
    halves = _halves(y, pd.Series(z), given, settings)
    return Criterion(
        T=test.statistic,
        rows=test.n,
        neighbours=automatic(test.n),
        strata=1 if within is None else len(np.unique(within)),
        median=None if test.null is None else float(np.median(test.null)),
        limit=None if test.null is None else float(np.quantile(test.null, 0.95)),
        p_value=p_value,
        answer=answer_of(p_value, test.n, settings),
        error=halves_error(halves),
        halves=halves,
    )


def halves_error(halves: Sequence[tuple[float, float]]) -> float | None:
    """The standard error of T: two halves are different people, and T of each varies by the root of two more.

    >>> round(halves_error([(0.1, 0.3), (0.4, 0.2)]), 12)
    0.1
    """
    if not halves:
        return None
    one, two = np.transpose(halves)
    return float(np.sqrt(np.mean((one - two) ** 2 / 4)))


def _halves(
    y: pd.Series, z: pd.Series, given: pd.Series | None, settings: ModelSettings
) -> tuple[tuple[float, float], ...]:
    """T of both parts of every cut; the cuts hang on the seed and the number of rows alone.

    Rows are not drawn with replacement: a row drawn twice would be its own nearest neighbour.
    """
    rows, half = len(y), len(y) // 2
    if half < _FEWEST_IN_HALF:
        return ()
    draw, found = np.random.default_rng(settings.seed), []
    for _ in range(_CUTS):
        order = draw.permutation(rows)
        halves = [[_part(one, part) for one in (y, z, given)] for part in (order[:half], order[half : 2 * half])]
        if any(one.nunique() < 2 for one, *_ in halves if one is not None):
            return ()
        one, two = (T(*sides, neighbours="auto", standardize="none" if given is None else "scale") for sides in halves)
        found.append((one, two))
    return tuple(found)


def _part(column: pd.Series | None, rows: Ints) -> pd.Series | None:
    return None if column is None else column.iloc[rows].reset_index(drop=True)


def answer_of(p_value: float | None, rows: int, settings: ModelSettings) -> Found:
    """What is said of so many rows where shuffles give this p-value."""
    if p_value is None or rows < settings.minimum:
        return "too few people"
    # Few shuffles cannot show a p-value below the level: then the smallest that they can show counts.
    return "found" if p_value <= max(LEVEL, 1 / (1 + settings.permutations)) else "not found"


def _either(by_T: Floats, by_ranks: Floats) -> float:
    """How often shuffled rows give as much by either look, each in standard errors of its own chance.

    The first entry of each is that of the rows as they are.
    """
    looks = [(one - one.mean()) / max(float(one.std()), 1e-300) for one in (by_T, by_ranks)]
    best = np.max(looks, axis=0)
    return float((1 + np.count_nonzero(best[1:] >= best[0] - 1e-12)) / len(best))


def _by_ranks(y: pd.Series, z: pd.Series, within: Ints | None, settings: ModelSettings) -> Floats:
    """How far ranks of one go with ranks, or groups, of the other, as they are and shuffled as `T_test` shuffles."""
    strata = np.zeros(len(y), dtype=np.int64) if within is None else within
    one, other = _ranked(y, strata), _ranked(z, strata)
    draw = np.random.default_rng(settings.seed)
    orders = [np.arange(len(y)), *(rearranged(len(y), within, draw) for _ in range(settings.permutations))]
    return np.array([float(((one[order].T @ other) ** 2).sum()) for order in orders])


def _ranked(column: pd.Series, strata: Ints) -> Floats:
    """Ranks of a number, or a column for each group, less their mean within every stratum."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        groups = np.unique(codes)
        values = (codes[:, None] == groups) / np.sqrt((codes[:, None] == groups).sum(0))
    else:
        values = pd.Series(column.to_numpy()).groupby(strata).rank().to_numpy(dtype=np.float64)[:, None]
    size = np.bincount(strata)
    means = np.stack([np.bincount(strata, weights=side) / np.maximum(size, 1) for side in values.T], axis=1)
    return np.asarray(values - means[strata])

"""The three criteria of a score in one coefficient: independence, separation and sufficiency, each a zero of T.

Independence: the score says nothing about the attribute, T(S, R) = 0. Separation: it says nothing more among people
with the same outcome, T(S, R | Y) = 0. Sufficiency: among people with the same score the attribute tells nothing of the
outcome, T(Y, S | R) = 0. Given factors: T(S, R | L) = 0. No threshold and no groups are needed, so that attributes and
outcomes may be numbers.

T sees any dependence, and a plain shift weakly. So a test looks twice, by T and by ranks within what is given, and its
p-value says how often shuffled rows give as much by either look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from msgspec.structs import replace

from diffoci.coefficients import T, T_test, rearranged
from diffoci.inputs import Floats, Ints
from diffoci.kept_graphs import with_kept_graphs
from diffoci.model_audit.people import Decided, Model, People
from diffoci.model_audit.questions import Question, column_of, questions, sampled
from diffoci.model_audit.result import Criterion, CriterionName, Found
from diffoci.model_audit.spec import ModelSettings
from diffoci.neighbourhoods import automatic

# So often "found" is said of a criterion that holds.
LEVEL = 0.01
# Times that rows are cut into halves, for the standard error of T, and of so many people at least.
_CUTS, _FEWEST_IN_HALF = 10, 20
ERROR_DEGREES = 8  # of freedom that an error of so many cuts has: it varies by a quarter from sample to sample


def criteria(
    people: People, model: Model, decision: Decided, attribute: str, settings: ModelSettings
) -> dict[CriterionName, Criterion]:
    """Every criterion that the columns allow, on the same rows, drawn at random where there are many.

    A model without a score is judged by its decision.
    """
    asked = questions(people, model, decision, attribute, settings)
    with with_kept_graphs(people.graphs):
        found = {name: _tested(question, settings) for name, question in asked.items()}
    few = bool(asked) and _few_groups(column_of(people, attribute).iloc[sampled(len(people), settings)], settings)
    return {name: _humble(one) if few else one for name, one in found.items() if one is not None}


def coefficients_again(
    people: People,
    model: Model,
    decision: Decided,
    attribute: str,
    settings: ModelSettings,
    believed: Mapping[CriterionName, Criterion],
) -> dict[CriterionName, Criterion]:
    """Every coefficient computed from the rows, and what shuffling gave as it is believed to be."""
    asked = questions(people, model, decision, attribute, settings)
    with with_kept_graphs(people.graphs):
        return _again(asked, settings, believed)


def _again(
    asked: Mapping[CriterionName, Question], settings: ModelSettings, believed: Mapping[CriterionName, Criterion]
) -> dict[CriterionName, Criterion]:
    found: dict[CriterionName, Criterion] = {}
    for name, question in asked.items():
        value = _T(question)
        if name in believed:
            known = believed[name]
        elif question.given is not None and value == 1:  # nothing is left to explain, see `_tested`
            continue
        else:
            known = Criterion(
                T=0, rows=0, neighbours=0, strata=0, median=None, limit=None, p_value=None, answer="too few people"
            )
        halves = _halves(question, settings)
        found[name] = replace(known, T=value, error=halves_error(halves), halves=halves, **_sizes(question))
    return found


def _few_groups(column: pd.Series, settings: ModelSettings) -> bool:
    """Whether fewer than two groups have enough people to be judged; a number has no groups."""
    grouped = isinstance(column.dtype, pd.CategoricalDtype)
    return grouped and int((column.value_counts() >= settings.minimum).sum()) < 2


def _humble(found: Criterion) -> Criterion:
    """Of few people a departure can be found; that none was says nothing."""
    return found if found.answer == "found" else replace(found, answer="too few people")


def _T(asked: Question) -> float:
    return T(asked.y, asked.z, asked.given, neighbours="auto", standardize=asked.standardize)


def _sizes(asked: Question) -> dict[str, int]:
    """Of how many people, with how many neighbours, shuffled within how many classes or bins."""
    rows = len(asked.y)
    strata = 1 if asked.within is None else len(np.unique(asked.within))
    return {"rows": rows, "neighbours": automatic(rows), "strata": strata}


def _tested(asked: Question, settings: ModelSettings) -> Criterion | None:
    """A coefficient with its shuffles; None where what is given decides y, so that nothing is left to explain."""
    test = T_test(
        asked.y,
        asked.z,
        asked.given,
        neighbours="auto",
        standardize=asked.standardize,
        permutations=settings.permutations,
        within=asked.within,
        seed=settings.seed,
    )
    if asked.given is not None and test.statistic == 1 and (test.null is None or float(test.null.min()) == 1):
        return None
    p_value = None
    if test.null is not None:
        p_value = _either(np.array([test.statistic, *test.null]), _by_ranks(asked, settings))
    halves = _halves(asked, settings)
    return Criterion(
        T=test.statistic,
        median=None if test.null is None else float(np.median(test.null)),
        limit=None if test.null is None else float(np.quantile(test.null, 0.95)),
        p_value=p_value,
        answer=answer_of(p_value, test.n, settings),
        error=halves_error(halves),
        halves=halves,
        **_sizes(asked),
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


def _halves(asked: Question, settings: ModelSettings) -> tuple[tuple[float, float], ...]:
    """T of both parts of every cut; the cuts hang on the seed and the number of rows alone.

    Rows are not drawn with replacement: a row drawn twice would be its own nearest neighbour.
    """
    rows, half = len(asked.y), len(asked.y) // 2
    if half < _FEWEST_IN_HALF:
        return ()
    draw, found = np.random.default_rng(settings.seed), []
    for _ in range(_CUTS):
        order = draw.permutation(rows)
        one, two = _part(asked, order[:half]), _part(asked, order[half : 2 * half])
        if one.y.nunique() < 2 or two.y.nunique() < 2:
            return ()
        found.append((_T(one), _T(two)))
    return tuple(found)


def _part(asked: Question, rows: Ints) -> Question:
    y, z = (column.iloc[rows].reset_index(drop=True) for column in (asked.y, asked.z))
    return Question(y, z, None if asked.given is None else asked.given.iloc[rows].reset_index(drop=True))


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


def _by_ranks(asked: Question, settings: ModelSettings) -> Floats:
    """How far ranks of one go with ranks, or groups, of the other, as they are and shuffled as `T_test` shuffles."""
    rows, within = len(asked.y), asked.within
    strata = np.zeros(rows, dtype=np.int64) if within is None else within
    one, other = _ranked(asked.y, strata), _ranked(asked.z, strata)
    draw = np.random.default_rng(settings.seed)
    orders = [np.arange(rows), *(rearranged(rows, within, draw) for _ in range(settings.permutations))]
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

"""What the criteria ask of the rows: of which column, told by which, among people alike in what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from diffoci.inputs import Floats, Ints
from diffoci.model_audit.people import Decided, Model, People
from diffoci.model_audit.result import CriterionName
from diffoci.model_audit.spec import ModelSettings

# Of rows that are rearranged among each other where what is given has no repeated values.
_NEAR = 20


@dataclass(frozen=True)
class Question:
    """What T is asked: whether z tells of y among people of the same `given`, and within which rows y is shuffled."""

    y: pd.Series
    z: pd.Series
    given: pd.Series | None = None
    within: Ints | None = None

    @property
    def standardize(self) -> Literal["none", "scale"]:
        """Columns beside each other are brought to one scale."""
        return "none" if self.given is None else "scale"


def questions(
    people: People, model: Model, decision: Decided, attribute: str, settings: ModelSettings
) -> dict[CriterionName, Question]:
    """Every question that the columns allow, all of the same rows."""
    judged = model.score if model.score is not None else decision.selected
    if judged is None:
        return {}
    rows = sampled(len(people), settings)
    values: Floats = np.asarray(judged, dtype=np.float64)[rows]
    score = pd.Series(values)
    attributes = column_of(people, attribute).iloc[rows].reset_index(drop=True)
    target = as_target(attributes)
    if score.nunique() < 2 or target.nunique() < 2:
        return {}
    asked: dict[CriterionName, Question] = {"independence": Question(target, score)}
    if people.outcome is not None:
        label = people.outcome.values[rows]
        if np.ptp(label) > 0:
            given = pd.Series(label).astype("str") if people.outcome.kind == "classes" else pd.Series(label)
            asked["separation"] = Question(target, score, given, near(label))
            asked["sufficiency"] = Question(pd.Series(label), attributes, score, near(values))
    if len(people.factors.columns):
        factors = people.factors.iloc[rows].reset_index(drop=True)
        strata = np.asarray(factors.groupby(list(factors.columns), observed=True).ngroup(), dtype=np.int64)
        if len(np.unique(strata)) > 1:
            asked["given_factors"] = Question(target, score, pd.Series(strata).astype("str"), strata)
    return asked


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


def column_of(people: People, attribute: str) -> pd.Series:
    return people.groups[attribute] if attribute in people.groups else people.numbers[attribute]

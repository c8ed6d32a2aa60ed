"""From frequencies to a set: the features of a table that halves of its rows choose again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.kinds import Count, Names, Positive, Share, Stored, Text
from diffoci.labs.feature_selection.problem import Kind
from diffoci.labs.feature_selection.table import TableRows

# Fifty trainings of more rows take long and choose the same.
MOST_ROWS = 4000
ONE_BY_ONE_ERROR = 0.05


class Choice(Stored, frozen=True, kw_only=True):
    """What was chosen from a table, and what it rests on.

    `selected` are the features kept, most frequent first; on average at most `expected_false` of them are false.
    `frequency` is how often halves of the rows chose each feature. `foci` is FOCI's choice in its order, with the T
    reached by then; `one_by_one` what an F test of each column finds; `missed_one_by_one` what only FOCI or difFOCI do.
    """

    data: Text
    y: Text
    kind: Kind
    rows: Count
    selected: Names
    expected_false: Positive
    threshold: Share
    pairs: Count
    frequency: dict[Text, Share]
    foci: Names
    foci_T: tuple[float, ...]
    one_by_one: Names
    missed_one_by_one: Names
    notes: Names


def choose(table: TableRows, *, max_false: float, threshold: float, pairs: int, seed: int, n_jobs: int) -> Choice:
    """Choose features of a table by vec-dF1 with stability selection, with FOCI and F tests beside it."""
    from diffoci.foci import FOCI
    from diffoci.learning.selector import DifFOCISelector

    names = [column.name for column in table.columns]
    rows = np.sort(np.random.default_rng(seed).permutation(len(table.y))[:MOST_ROWS])
    frame, y = _filled(table.features).iloc[rows].reset_index(drop=True), table.y[rows]
    response: Any = pd.Series(pd.Categorical(y)) if table.kind == "class" else pd.Series(y)
    model = DifFOCISelector(max_false=max_false, threshold=threshold, pairs=pairs, random_state=seed, n_jobs=n_jobs)
    model.fit(frame, response)
    order = np.argsort(-model.frequency_, kind="stable")
    kept = set(np.flatnonzero(model.get_support()).tolist())
    foci = FOCI().fit(frame, response)
    alone = _one_by_one(table, rows)
    found = dict.fromkeys([k for k in order.tolist() if k in kept] + foci.order_.tolist())
    notes = list(table.notes)
    if len(rows) < len(table.y):
        notes.append(f"{len(rows):,} of {len(table.y):,} rows, drawn at random, are used.")
    return Choice(
        data=table.dataset.title,
        y=table.outcome,
        kind=table.kind,
        rows=len(rows),
        selected=tuple(names[k] for k in order if k in kept),
        expected_false=float(model.expected_false_),
        threshold=threshold,
        pairs=pairs,
        frequency={names[k]: float(model.frequency_[k]) for k in order},
        foci=tuple(names[k] for k in foci.order_),
        foci_T=tuple(float(value) for value in foci.scores_),
        one_by_one=tuple(names[k] for k in alone),
        missed_one_by_one=tuple(names[k] for k in found if k not in alone),
        notes=tuple(notes),
    )


def _filled(frame: pd.DataFrame) -> pd.DataFrame:
    """Missing numbers as the median, missing levels as one of their own."""
    filled = {}
    for name in frame:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            texts = column.astype(object).where(column.notna(), "missing").astype(str)
            filled[name] = pd.Series(pd.Categorical(texts), index=frame.index)
        else:
            filled[name] = column.fillna(column.median()).fillna(0.0)
    return pd.DataFrame(filled)


def _one_by_one(table: TableRows, rows: np.ndarray) -> list[int]:
    """Features with a column whose F test is significant, with a false discovery rate of 0.05."""
    from sklearn.feature_selection import SelectFdr, f_classif, f_regression

    task = table.task(0)
    varying = np.flatnonzero(task.x[rows].std(axis=0) > 0)
    test = f_classif if table.kind == "class" else f_regression
    model = SelectFdr(test, alpha=ONE_BY_ONE_ERROR).fit(task.x[rows][:, varying], table.y[rows])
    return list(task.features_of(varying[model.get_support()]))

"""From frequencies to a set: the features of a table that halves of its rows choose again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.kinds import Count, Names, Positive, Share, Stored, Text
from diffoci.labs.feature_selection.problem import Kind
from diffoci.labs.feature_selection.table import MOST_NAMED, TableRows, named, single_valued

# Fifty trainings of more rows take long and choose the same.
MOST_ROWS = 4000
ONE_BY_ONE_ERROR = 0.05


class Choice(Stored, frozen=True, kw_only=True):
    """What was chosen from a table, and what it rests on.

    `selected` are the features kept, most frequent first; on average at most `expected_false` of them are false.
    `frequency` is how often halves of the rows chose each feature. `foci` is FOCI's choice in its order, with the T
    reached by then; `one_by_one` what an F test of each column finds; `not_one_by_one` what is selected and not found
    so. Which features matter is not known of a table, so neither is called right.
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
    not_one_by_one: Names
    notes: Names


def choose(table: TableRows, *, max_false: float, threshold: float, pairs: int, seed: int, n_jobs: int) -> Choice:
    """Choose features of a table by vec-dF1 with stability selection, with FOCI and F tests beside it."""
    from diffoci.foci import FOCI
    from diffoci.learning.selector import DifFOCISelector

    rows = np.sort(np.random.default_rng(seed).permutation(len(table.y))[:MOST_ROWS])
    drawn, y = table.features.iloc[rows].reset_index(drop=True), table.y[rows]
    single = single_valued(drawn)
    frame, notes = _filled(drawn.drop(columns=single)), _notes(table, drawn, single)
    names = list(frame)
    response: Any = pd.Series(pd.Categorical(y)) if table.kind == "class" else pd.Series(y)
    model = DifFOCISelector(max_false=max_false, threshold=threshold, pairs=pairs, random_state=seed, n_jobs=n_jobs)
    model.fit(frame, response)
    order = np.argsort(-model.frequency_, kind="stable")
    kept = set(np.flatnonzero(model.get_support()).tolist())
    foci = FOCI().fit(frame, response)
    alone = _one_by_one(table, rows)
    selected = tuple(names[k] for k in order if k in kept)
    return Choice(
        data=table.dataset.title,
        y=table.outcome,
        kind=table.kind,
        rows=len(rows),
        selected=selected,
        expected_false=float(model.expected_false_),
        threshold=threshold,
        pairs=pairs,
        frequency={names[k]: float(model.frequency_[k]) for k in order},
        foci=tuple(names[k] for k in foci.order_),
        foci_T=tuple(float(value) for value in foci.scores_),
        one_by_one=alone,
        not_one_by_one=tuple(name for name in selected if name not in alone),
        notes=notes,
    )


def _notes(table: TableRows, drawn: pd.DataFrame, single: list[str]) -> Names:
    """What was done to the rows beyond what the table's own notes say."""
    notes = list(table.notes)
    if len(drawn) < len(table.y):
        notes.append(f"{len(drawn):,} of {len(table.y):,} rows, drawn at random, are used.")
    if single:
        notes.append(f"Left out for having one value only in these rows: {named(single)}.")
    gaps = drawn.drop(columns=single).isna().sum()
    levels = [name for name in gaps.index if isinstance(drawn[name].dtype, pd.CategoricalDtype)]
    for filling, some in (
        ("the median", gaps.drop(levels)),
        ("a level of their own", gaps[levels]),
    ):
        if told := [f"{name} ({count:,})" for name, count in some[some > 0].items()]:
            more = f" and {len(told) - MOST_NAMED} columns more" if len(told) > MOST_NAMED else ""
            notes.append(f"Missing values count as {filling}: {', '.join(told[:MOST_NAMED])}{more}.")
    return tuple(notes)


def _filled(frame: pd.DataFrame) -> pd.DataFrame:
    """Missing numbers as the median, missing levels as one of their own."""
    filled = {}
    for name in frame:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            texts = column.astype(object).where(column.notna(), "missing").astype(str)
            filled[name] = pd.Series(pd.Categorical(texts), index=frame.index)
        else:
            filled[name] = column.fillna(column.median())
    return pd.DataFrame(filled)


def _one_by_one(table: TableRows, rows: np.ndarray) -> Names:
    """Features with a column whose F test is significant, with a false discovery rate of 0.05."""
    from sklearn.feature_selection import SelectFdr

    from diffoci.labs.feature_selection.selectors.univariate import f_test

    task = table.task(0)
    varying = np.flatnonzero(task.x[rows].std(axis=0) > 0)
    model = SelectFdr(f_test(table.kind), alpha=ONE_BY_ONE_ERROR).fit(task.x[rows][:, varying], table.y[rows])
    return tuple(task.names[k] for k in task.features_of(varying[model.get_support()]))

"""Read people from a table whose columns have roles; every column that cannot have its role is a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data.tables.columns import Unusable, as_levels, normalise, number_text, type_column
from diffoci.data.tables.roles import MAX_NUMBER_GROUPS, read_groups, read_label
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.people import About, Model, Outcome, People
from diffoci.model_audit.result import MOST_MODELS, Scale
from diffoci.model_audit.spec import Roles

FEWEST = 10
FACTOR_BINS = 5  # that a number among the factors is cut into
_YES = ("yes", "y", "true", "t", "1", "approved", "accept", "accepted", "selected", "admitted", "hired", "positive")


def read_people(table: pa.Table, roles: Roles, about: About) -> People:
    """Read everybody whose scores, decisions, label and weights are known.

    Parameters
    ----------
    table : pyarrow.Table
        One row per person.
    roles : Roles
        Which column is what.
    about : About
        Where the table comes from.
    """
    _check_roles(table.column_names, roles)
    kept, notes = _complete_rows(table, roles)
    outcome, label_notes = _read_outcome(kept, roles)
    models, model_notes = _read_models(kept, roles, outcome)
    groups, numbers, group_notes = _read_attributes(kept, roles.sensitive)
    factors = _read_factors(kept, roles.factors)
    features, feature_notes = _read_features(kept, roles.features)
    every = (*about.notes, *notes, *label_notes, *model_notes, *group_notes, *feature_notes)
    return People(
        models=models,
        groups=groups,
        numbers=numbers,
        outcome=outcome,
        weights=None if roles.weights is None else _read_weights(kept[roles.weights], roles.weights),
        factors=factors,
        features=features,
        about=replace(about, notes=every),
    )


def _check_roles(names: Sequence[str], roles: Roles) -> None:
    for name in roles.columns:
        if name not in names:
            raise ValueError(f"'{name}' is not a column of the table; columns are {', '.join(names)}.")
    if not roles.scores and not roles.decisions:
        raise ValueError("Name at least one column of scores or of decisions.")
    if len(roles.scores) + len(roles.decisions) > MOST_MODELS:
        raise ValueError(f"At most {MOST_MODELS} columns of scores and decisions can be audited together.")
    if not roles.sensitive:
        raise ValueError("Name at least one sensitive attribute.")
    judged = (*roles.scores, *roles.decisions)
    if roles.label in judged:
        raise ValueError(f"'{roles.label}' is the outcome and cannot be a score or a decision as well.")
    for name in roles.sensitive:
        if name in (*judged, roles.label):
            raise ValueError(f"'{name}' is a sensitive attribute and cannot be a score, a decision or the outcome.")
    if roles.weights is not None and roles.weights in (*judged, roles.label, *roles.sensitive):
        raise ValueError(f"'{roles.weights}' has the weights and cannot have another role as well.")
    for name in roles.factors:
        if name in (*judged, roles.label, *roles.sensitive, roles.weights):
            raise ValueError(f"'{name}' is a factor and cannot have another role as well.")


def _complete_rows(table: pa.Table, roles: Roles) -> tuple[pa.Table, list[str]]:
    """The rows that have a value in every column that must have one, and notes on those that do not."""
    read = table.select(list(roles.columns))
    for k, name in enumerate(roles.columns):
        try:
            read = read.set_column(k, name, normalise(read[name]))
        except pa.ArrowException as problem:
            raise ValueError(f"'{name}' holds values that cannot be read.") from problem
    alone = [name for name in (roles.label, roles.weights) if name is not None]
    notes = []
    for name in (
        *roles.scores,
        *roles.decisions,
        *alone,
        *filter(lambda one: _is_continuous(read[one]), roles.sensitive),
    ):
        if read[name].null_count:
            notes.append(f"{read[name].null_count:,} rows without a value of '{name}' are left out.")
            read = read.filter(pc.is_valid(read[name]))
    if read.num_rows < FEWEST:
        raise ValueError(f"The table has {read.num_rows} complete rows; at least {FEWEST} are needed for an audit.")
    return read.combine_chunks(), notes


def _is_continuous(column: pa.ChunkedArray) -> bool:
    """A number of many values; one of few is a code."""
    return bool(pa.types.is_float64(column.type) and pc.count_distinct(column).as_py() > MAX_NUMBER_GROUPS)


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _numbers(column: pa.ChunkedArray, name: str, role: str) -> Floats:
    if not pa.types.is_float64(column.type):
        shown = next((str(value)[:30] for value in column.drop_null().to_pylist() if not _is_number(value)), "nothing")
        raise ValueError(
            f"The {role} '{name}' is not a number in every row (it holds '{shown}'); choose another column."
        )
    values: Floats = column.to_numpy()
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"The {role} '{name}' holds infinite values, first in row {row + 1:,}; replace them.")
    return values


def _read_outcome(table: pa.Table, roles: Roles) -> tuple[Outcome | None, Sequence[str]]:
    if roles.label is None:
        return None, ()
    column, name = table[roles.label], roles.label
    if roles.positive is None and pa.types.is_float64(column.type) and pc.count_distinct(column).as_py() > 2:
        values = _numbers(column, name, "label")
        note = f"The outcome '{name}' is taken as a quantity; name the value that counts as yes if it is a class."
        return Outcome(name, "number", values), (note,)
    if roles.positive is None and pc.count_distinct(column).as_py() > 2:
        raise ValueError(f"The outcome '{name}' has more than two values; say which of them counts as yes.")
    read = read_label(column, name, roles.positive)
    return Outcome(name, "classes", read.codes.astype(np.float64), read.classes[-1]), read.notes


def _read_models(table: pa.Table, roles: Roles, outcome: Outcome | None) -> tuple[tuple[Model, ...], list[str]]:
    models, notes = [], []
    paired = max(len(roles.scores), len(roles.decisions))
    for k in range(paired):
        score_name = roles.scores[k] if k < len(roles.scores) else None
        decision_name = roles.decisions[k] if k < len(roles.decisions) else None
        score, scale = None, None
        if score_name is not None:
            score, scale, said = _read_score(table[score_name], score_name, outcome)
            notes += said
        decision = None
        if decision_name is not None:
            decision, said = _read_decision(table[decision_name], decision_name, roles.selected)
            notes += said
        models.append(
            Model(
                name=score_name or decision_name or "",
                score=score,
                scale=scale,
                decision=decision,
                score_name=score_name,
                decision_name=decision_name,
            )
        )
    return tuple(models), notes


def _read_score(column: pa.ChunkedArray, name: str, outcome: Outcome | None) -> tuple[Floats, Scale, list[str]]:
    values = _numbers(column, name, "score")
    low, high = float(values.min()), float(values.max())
    if low == high:
        raise ValueError(f"The score '{name}' is {number_text(low)} in every row; a constant score decides nothing.")
    if outcome is not None and len(np.unique(values)) > 2 and np.array_equal(values, outcome.values):
        raise ValueError(f"The score '{name}' is the outcome '{outcome.name}' in every row; choose another column.")
    if outcome is not None and outcome.kind == "number":
        return values, "quantity", []
    if low >= 0 and high <= 1:
        return values, "probability", []
    note = (
        f"The score '{name}' runs from {low:g} to {high:g}, not from 0 to 1: it is taken as a plain score, which has "
        "no threshold of its own."
    )
    return values, "plain", [note]


def _read_decision(column: pa.ChunkedArray, name: str, selected: Sequence[str]) -> tuple[Ints, list[str]]:
    if not (pa.types.is_float64(column.type) or pa.types.is_string(column.type)):
        raise ValueError(f"The decision '{name}' holds neither numbers nor text; choose another column.")
    distinct = pc.count_distinct(column).as_py()
    if distinct > 50:
        raise ValueError(f"The decision '{name}' has {distinct:,} different values; is it a score?")
    levels = as_levels(column)
    names = [str(level) for level in levels.cat.categories]
    codes = levels.cat.codes.to_numpy()
    if distinct == 1:
        raise ValueError(f"The decision '{name}' is '{names[0]}' in every row; nothing was decided.")
    wanted = [level for level in names if level in selected]
    if selected and not wanted:
        raise ValueError(
            f"No row of the decision '{name}' is {' or '.join(selected)}; its values are {', '.join(names)}."
        )
    if not selected and distinct > 2:
        raise ValueError(
            f"The decision '{name}' has {distinct} values ({', '.join(names)}); say which of them are selected."
        )
    notes = []
    if not selected:
        yes = [level for level in names if level.lower() in _YES]
        wanted = yes if len(yes) == 1 else names[1:]
        notes = [f"In the decision '{name}', {wanted[0]} counts as selected; say otherwise if that is wrong."]
    if len(wanted) == len(names):
        raise ValueError(f"Every value of the decision '{name}' counts as selected; name fewer.")
    return np.isin(codes, [names.index(level) for level in wanted]).astype(np.int64), notes


def _read_attributes(table: pa.Table, names: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    groups: dict[str, pd.Series] = {}
    numbers: dict[str, Floats] = {}
    notes: list[str] = []
    for name in names:
        if _is_continuous(table[name]):
            numbers[name] = _numbers(table[name], name, "sensitive attribute")
            continue
        groups[name], said = read_groups(table[name], name)
        notes += said
    rows = range(table.num_rows)
    return pd.DataFrame(groups, index=rows), pd.DataFrame(numbers, index=rows), notes


def _read_weights(column: pa.ChunkedArray, name: str) -> Floats:
    values = _numbers(column, name, "column of weights")
    if (values < 0).any():
        row = int(np.flatnonzero(values < 0)[0])
        raise ValueError(
            f"The weights '{name}' are negative, first in row {row + 1:,}; a row cannot stand for fewer than 0."
        )
    if not values.any():
        raise ValueError(f"The weights '{name}' are 0 in every row; choose another column, or none.")
    return values


def _read_factors(table: pa.Table, names: Sequence[str]) -> pd.DataFrame:
    columns = {}
    for name in names:
        column = table[name]
        if pa.types.is_float64(column.type) and pc.count_distinct(column).as_py() > MAX_NUMBER_GROUPS:
            columns[name] = _cut(column.to_numpy(zero_copy_only=False))
            continue
        if not (pa.types.is_float64(column.type) or pa.types.is_string(column.type)):
            raise ValueError(f"The factor '{name}' holds neither numbers nor text; choose another column.")
        levels = as_levels(column)
        if len(levels.cat.categories) > table.num_rows // 2:
            raise ValueError(
                f"The factor '{name}' has a value of its own for nearly every person, so nobody can be compared within "
                "it; group its values, or leave it out."
            )
        named = levels.cat.add_categories(["unknown"]) if "unknown" not in levels.cat.categories else levels
        columns[name] = named.fillna("unknown").cat.remove_unused_categories()
    return pd.DataFrame(columns, index=range(table.num_rows))


def _cut(values: Floats) -> pd.Series:
    """A number in bins of about equal size."""
    edges = np.unique(np.nanquantile(values, np.linspace(0, 1, FACTOR_BINS + 1)))
    names = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(names) - 1)
    return pd.Series(np.where(np.isnan(values), "unknown", np.array(names)[place])).astype("category")


def _read_features(table: pa.Table, names: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    columns, notes = {}, []
    for name in names:
        try:
            typed = type_column(name, table[name])
        except Unusable as reason:
            notes.append(f"Left out: {reason}.")
            continue
        if typed.empty or typed.values.nunique() < 2:
            notes.append(f"Column '{name}' is the same in every row and is left out.")
            continue
        columns[name] = _filled(typed.values)
    return pd.DataFrame(columns, index=range(table.num_rows)), notes


def _filled(values: pd.Series) -> pd.Series:
    """Missing numbers become the median, missing names a level of their own: coefficients need every row."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        if not values.isna().any():
            return values
        return values.cat.add_categories(["(missing)"]).fillna("(missing)").cat.as_unordered()
    return values.fillna(values.median())

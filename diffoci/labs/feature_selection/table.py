"""Any table as a problem: a data source, one of its columns as y, all others as features; every seed splits it anew."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.data import sources
from diffoci.data.dataset import Column, Dataset
from diffoci.data.encoding import MOST_INDICATORS, Encoder
from diffoci.data.splits import split_rows
from diffoci.labs.feature_selection.problem import Kind, Task, cut_rows
from diffoci.labs.feature_selection.training import Training, table_trainings

OutcomeKind = Literal["auto", "class", "number"]
# An outcome of more classes has too few rows of each to learn from.
MOST_CLASSES = 50
MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class TableRows:
    """A table whose outcome is known in every row."""

    dataset: Dataset
    features: pd.DataFrame
    columns: tuple[Column, ...]
    y: NDArray[Any]
    kind: Kind
    outcome: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset, outcome: str, kind: OutcomeKind) -> TableRows:
        """Take one column as y; the source's own outcome where none is named."""
        notes = list(dataset.notes)
        if dataset.has_outcome and outcome in ("", dataset.label_name):
            values, columns = pd.Series(pd.Categorical(dataset.label)), dataset.columns
            outcome = dataset.label_name
        elif outcome == "":
            names = ", ".join(column.name for column in dataset.columns)
            raise ValueError(f"Say which column of {dataset.title} to predict; columns are {names}.")
        else:
            values = dataset.features[_column(dataset, outcome).name]
            columns = tuple(column for column in dataset.columns if column.name != outcome)
        if not columns:
            raise ValueError(f"{dataset.title} has no column beside '{outcome}' to select from.")
        known = values.notna().to_numpy()
        if not known.all():
            notes.append(f"{(~known).sum():,} rows without {outcome} are left out.")
        y, found = _read_outcome(values[known], outcome, kind)
        features = dataset.features.loc[known, [column.name for column in columns]].reset_index(drop=True)
        for silent, why in (
            (single_valued(features), "one value only"),
            ([name for name in map(str, features) if _is_name(features[name])], "another value in every row"),
        ):
            if silent:
                columns = tuple(column for column in columns if column.name not in silent)
                features = features.drop(columns=silent)
                notes.append(f"Left out for having {why}: {named(silent)}.")
        if not columns:
            raise ValueError(f"{dataset.title} has no column beside '{outcome}' to select from. {' '.join(notes)}")
        notes.extend(
            f"'{name}' says the same as '{outcome}', row by row; leave it out unless that is meant."
            for name in features
            if _is_the_same(features[name], y, found)
        )
        return cls(dataset, features, columns, y, found, outcome, tuple(notes))

    @cached_property
    def sha256(self) -> str:
        asked = f"{self.dataset.sha256}\0{self.outcome}\0{self.kind}"
        return hashlib.sha256(asked.encode()).hexdigest()

    @property
    def title(self) -> str:
        return f"{self.dataset.title}: {self.outcome}"

    @property
    def about(self) -> str:
        said = f"{len(np.unique(self.y))} classes" if self.kind == "class" else "a number"
        return f"{len(self.y):,} rows, {len(self.columns):,} features; {self.outcome} is {said}"

    @property
    def real(self) -> bool:
        return self.dataset.real

    @property
    def fresh(self) -> bool:
        """Splits of one table share rows."""
        return False

    def task(self, seed: int) -> Task:
        """One split, coded by its training rows."""
        nobody = pd.DataFrame(index=self.features.index)
        split = (
            cut_rows(len(self.y), seed) if self.kind == "number" else split_rows(pd.Series(self.y), nobody, seed=seed)
        )
        encoder = Encoder(most_indicators=MOST_INDICATORS).fit(self.features.iloc[split.train], self.columns)
        place = {column.name: k for k, column in enumerate(self.columns)}
        of_column = np.array([place[name] for name in encoder.origin_], dtype=np.int64)
        names = tuple(column.name for column in self.columns)
        return Task(encoder.transform(self.features), self.y, self.kind, split, names, of_column)

    def trainings(self, method: str) -> tuple[Training, ...]:
        return table_trainings(method, rows=len(self.y), columns=len(self.columns))


def load_rows(data: str, options: Mapping[str, Any], outcome: str, kind: OutcomeKind) -> TableRows:
    """Load a table; its attributes are columns like any other."""
    return TableRows.of(sources.load(data, sensitive=(), **options), outcome, kind)


def single_valued(features: pd.DataFrame) -> list[str]:
    """Columns that say nothing: one value in every row, and for numbers in every row that has any."""
    return [name for name in map(str, features) if len(_codes(features[name]).unique()) < 2]


def named(names: Sequence[str]) -> str:
    """Names in quotes, the first few of many."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(f"'{name}'" for name in names[:MOST_NAMED]) + more


def _codes(column: pd.Series) -> pd.Series:
    """Levels as codes, of which a missing one is another; numbers that are known."""
    return column.cat.codes if isinstance(column.dtype, pd.CategoricalDtype) else column.dropna()


def _is_name(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype) and column.nunique() == len(column)


def _is_the_same(column: pd.Series, y: NDArray[Any], kind: Kind) -> bool:
    """Whether the column puts the rows into the order of the numbers y, or tells the same classes apart."""
    if column.isna().any() or column.nunique() != len(np.unique(y)):
        return False
    values = _codes(column).to_numpy()
    if kind == "class":
        return len(pd.DataFrame({"x": values, "y": y}).drop_duplicates()) == column.nunique()
    rank, wanted = (np.unique(one, return_inverse=True)[1] for one in (values, y))
    return np.array_equal(rank, wanted) or np.array_equal(rank, wanted.max() - wanted)


def _column(dataset: Dataset, name: str) -> Column:
    """The column, or a sentence that says why it is not among the features where the notes know it."""
    try:
        return dataset.column(name)
    except ValueError as problem:
        why = [note for note in dataset.notes if f"'{name}'" in note]
        raise ValueError(" ".join([str(problem), *why])) from None


def _read_outcome(values: pd.Series, outcome: str, kind: OutcomeKind) -> tuple[NDArray[Any], Kind]:
    """Codes of classes, or numbers: levels and numbers of two values are classes unless said otherwise."""
    levels = isinstance(values.dtype, pd.CategoricalDtype)
    ordered = levels and values.cat.ordered
    distinct = int(values.nunique())
    if distinct < 2:
        raise ValueError(f"'{outcome}' has one value only, so there is nothing to predict; choose another column.")
    if kind == "number" and levels and not ordered:
        raise ValueError(f"'{outcome}' holds names, not numbers; it can be predicted as classes only.")
    if kind == "number" or (kind == "auto" and not levels and distinct > 2):
        numbers = values.cat.codes if levels else values
        return numbers.to_numpy(dtype=np.float64), "number"
    if distinct > MOST_CLASSES:
        raise ValueError(
            f"'{outcome}' has {distinct:,} classes; {MOST_CLASSES} are the most, so choose another column."
        )
    return np.unique(values.astype(str).to_numpy(), return_inverse=True)[1].astype(np.int64), "class"

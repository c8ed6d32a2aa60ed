"""Dataset: the one type every source returns and everything downstream reads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from diffoci.inputs import Ints

Kind = Literal["number", "ordered", "nominal"]


@dataclass(frozen=True)
class Column:
    """One feature: how to treat it and how to say it in plain words."""

    name: str
    kind: Kind
    label: str
    meanings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, label and sensitive attributes of one source, with where they come from.

    Parameters
    ----------
    features : DataFrame
        One column for each of `columns`, in that order. Numbers are float64, ordered columns are
        ordered categoricals, nominal ones unordered categoricals of strings. May hold missing values.
    label : Series
        Codes 0..K-1 into `label_classes`; for two classes, 1 is the positive one. Where no outcome was named yet,
        there are no classes and every code is 0.
    sensitive : DataFrame
        Unordered categoricals of readable strings ("Female", "Black"), never missing. No column of
        it, nor one it was derived from, is among the features.
    """

    name: str
    title: str
    features: pd.DataFrame
    columns: tuple[Column, ...]
    label: pd.Series
    label_name: str
    label_classes: tuple[str, ...]
    sensitive: pd.DataFrame
    real: bool
    source: str
    licence: str
    citation: str
    notes: tuple[str, ...] = ()
    weights: pd.Series | None = None
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", content_sha256(self.features, self.label, self.sensitive))

    @property
    def has_outcome(self) -> bool:
        """Whether a column to predict was named; an audit needs one, proxies do not."""
        return bool(self.label_classes)

    def __len__(self) -> int:
        return len(self.features)

    def column(self, name: str) -> Column:
        """Return the description of one feature."""
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(column.name for column in self.columns)
        raise ValueError(f"'{name}' is not a feature of {self.title}; features are {names}.")

    def without(self, names: Sequence[str]) -> Dataset:
        """Return the same data with some features left out."""
        left_out = {self.column(name).name for name in names}
        if not left_out:
            return self
        kept = tuple(column for column in self.columns if column.name not in left_out)
        if not kept:
            raise ValueError(f"Leaving out {', '.join(names)} leaves no feature; leave out fewer.")
        return replace(self, features=self.features[[column.name for column in kept]], columns=kept)

    def of_rows(self, rows: Ints) -> Dataset:
        """Return the same data of some rows, in their order."""
        return replace(
            self,
            features=self.features.iloc[rows].reset_index(drop=True),
            label=self.label.iloc[rows].reset_index(drop=True),
            sensitive=self.sensitive.iloc[rows].reset_index(drop=True),
            weights=None if self.weights is None else self.weights.iloc[rows].reset_index(drop=True),
        )

    def noting(self, *notes: str) -> Dataset:
        """Return the same data with notes added."""
        return replace(self, notes=(*self.notes, *notes)) if notes else self


def content_sha256(features: pd.DataFrame, label: pd.Series, sensitive: pd.DataFrame) -> str:
    """Digest the values and names, independent of file format, index and machine."""
    digest = hashlib.sha256()
    for role, frame in (("x", features), ("y", label.to_frame()), ("s", sensitive)):
        for name in frame.columns:
            column = frame[name]
            digest.update(f"{role}\0{name}\0".encode())
            if isinstance(column.dtype, pd.CategoricalDtype):
                digest.update("\0".join(map(str, column.cat.categories)).encode())
                values = column.cat.codes.to_numpy(dtype=np.int64)
            else:
                values = column.to_numpy(dtype=np.float64)
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()

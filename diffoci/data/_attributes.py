"""Sensitive attributes: how each is read from recorded columns, and which columns then leave the features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from diffoci.data._levels import levels_series, only_used
from diffoci.data.dataset import Column


@dataclass(frozen=True)
class Attribute:
    """One sensitive attribute.

    Parameters
    ----------
    columns : tuple of str
        What it is read from, first, and what would tell the same. All of them leave the features when the
        attribute is chosen.
    read : callable
        Turns the recorded frame into a categorical of readable levels, none missing.
    note : str
        What a reader must know about how it was derived.
    """

    columns: tuple[str, ...]
    read: Callable[[pd.DataFrame], pd.Series]
    note: str = ""


@dataclass(frozen=True)
class Chosen:
    """The sensitive frame, the columns that leave the features, and what to note."""

    frame: pd.DataFrame
    columns: frozenset[str]
    notes: tuple[str, ...]


def names_of(sensitive: str | Sequence[str] | None, *, default: Sequence[str]) -> tuple[str, ...]:
    """Read one name, several, or none (the default) as a tuple without repetitions."""
    if sensitive is None:
        return tuple(default)
    return (sensitive,) if isinstance(sensitive, str) else tuple(dict.fromkeys(sensitive))


def choose(recorded: pd.DataFrame, attributes: Mapping[str, Attribute], names: Sequence[str]) -> Chosen:
    """Read the named attributes from the recorded columns."""
    frame = pd.DataFrame({name: attributes[name].read(recorded) for name in names}, index=recorded.index)
    return Chosen(
        frame=frame,
        columns=frozenset(column for name in names for column in attributes[name].columns),
        notes=tuple(attributes[name].note for name in names if attributes[name].note),
    )


def coded(column: str, levels: Mapping[str, str], *, missing: str = "unknown") -> Attribute:
    """Attribute whose recorded codes are each said in words."""
    return Attribute((column,), lambda frame: level_codes(frame[column], levels, missing=missing))


def level_codes(codes: pd.Series, levels: Mapping[str, str], *, missing: str = "unknown") -> pd.Series:
    """Replace codes by their level; codes without one become `missing`. Only levels that occur are kept."""
    order = list(dict.fromkeys([*levels.values(), missing]))
    # Translating the few distinct codes and not every row keeps a whole country of rows quick.
    positions, found = pd.factorize(codes, use_na_sentinel=True)
    targets = np.array([*(order.index(levels.get(str(code), missing)) for code in found), order.index(missing)])
    return only_used(levels_series(targets[positions], order, index=codes.index, name=codes.name))


def banded(column: str, edges: Sequence[int]) -> Attribute:
    """Attribute of whole-number bands, as of age: "under 30", "30 to 44", "45 and over"."""
    levels = ", ".join(band_names(edges))
    return Attribute((column,), lambda frame: bands(frame[column], edges), f"{column} is used in bands: {levels}.")


def band_names(edges: Sequence[int]) -> list[str]:
    """Say the bands that lie between whole-number edges in words."""
    middle = [f"{low} to {high - 1}" for low, high in pairwise(edges)]
    return [f"under {edges[0]}", *middle, f"{edges[-1]} and over"]


def bands(values: pd.Series, edges: Sequence[int]) -> pd.Series:
    """Cut whole numbers into bands; missing values get the level "unknown"."""
    codes = np.searchsorted(edges, values.to_numpy(dtype=np.float64), side="right")
    codes = np.where(values.isna(), len(edges) + 1, codes)
    levels = [*band_names(edges), "unknown"]
    return only_used(levels_series(codes, levels, index=values.index, name=values.name))


def feature_frame(recorded: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Give recorded columns the dtype their kind promises, keeping the order of meanings as levels."""
    return pd.DataFrame(
        {column.name: _typed(recorded[column.name], column) for column in columns}, index=recorded.index
    )


def _typed(values: pd.Series, column: Column) -> pd.Series:
    if column.kind == "number":
        return values.astype(np.float64)
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values
    positions, found = pd.factorize(values, use_na_sentinel=True)
    texts = [str(value) for value in found]
    levels = [code for code in column.meanings if code in texts]
    levels += sorted(set(texts).difference(levels))
    targets = np.array([*(levels.index(text) for text in texts), -1])
    return levels_series(
        targets[positions], levels, index=values.index, name=values.name, ordered=column.kind == "ordered"
    )

"""Grouping: which group each person belongs to, by one sensitive attribute or several crossed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from diffoci.inputs import Ints

CROSS = " × "
UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of people.

    Parameters
    ----------
    attributes : tuple of str
        What the people are grouped by.
    levels : tuple of tuple of str
        Each group's level of every attribute. Only groups that somebody belongs to.
    codes : array of int
        Each person's group, as a position in `levels`.
    """

    attributes: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: Ints

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def labels(self) -> tuple[str, ...]:
        """Each group's name: its levels joined by a cross."""
        return tuple(CROSS.join(levels) for levels in self.levels)

    def counts(self, *columns: Ints, sizes: Sequence[int]) -> Ints:
        """Count people by group and by further codes, of which each column has `sizes` values."""
        shape = (len(self), *sizes)
        cell = np.ravel_multi_index((self.codes, *columns), shape)
        return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)


def group_by(sensitive: pd.DataFrame, attributes: Sequence[str]) -> Grouping:
    """Group people by the attributes, crossed; a missing value is the level "unknown".

    >>> frame = pd.DataFrame({"sex": ["f", "m", "f", None], "race": ["b", "b", "a", "a"]})
    >>> group_by(frame, ["sex", "race"]).labels
    ('f × a', 'f × b', 'm × b', 'unknown × a')
    """
    for attribute in attributes:
        if attribute not in sensitive.columns:
            known = ", ".join(map(str, sensitive.columns))
            raise ValueError(f"There is no sensitive attribute '{attribute}'; choose from {known}.")
    read = [_levels_of(sensitive[attribute]) for attribute in attributes]
    crossed = np.ravel_multi_index([codes for _, codes in read], [len(names) for names, _ in read])
    present, codes = np.unique(crossed, return_inverse=True)
    positions = np.unravel_index(present, [len(names) for names, _ in read])
    columns = [[names[k] for k in where] for (names, _), where in zip(read, positions, strict=True)]
    return Grouping(tuple(attributes), tuple(zip(*columns, strict=True)), codes.astype(np.int64))


def groupings(sensitive: pd.DataFrame) -> list[Grouping]:
    """Group by every attribute alone, and last by all of them crossed where there are several."""
    if not len(sensitive.columns):
        raise ValueError("There is no sensitive attribute; name at least one.")
    names = [str(name) for name in sensitive.columns]
    named = sensitive.set_axis(names, axis="columns")
    alone = [group_by(named, [name]) for name in names]
    return alone if len(names) == 1 else [*alone, group_by(named, names)]


def _levels_of(column: pd.Series) -> tuple[list[str], Ints]:
    values = column.array if isinstance(column.dtype, pd.CategoricalDtype) else pd.Categorical(column)
    names, codes = [str(name) for name in values.categories], values.codes.astype(np.int64)
    if (codes < 0).any():
        names = names if UNKNOWN in names else [*names, UNKNOWN]
        codes = np.where(codes < 0, names.index(UNKNOWN), codes)
    return names, codes

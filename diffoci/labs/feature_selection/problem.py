"""Problem: generated rows whose y few columns determine; Task: one draw of them, or one split of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from diffoci.data.source import Option
from diffoci.data.splits import Split
from diffoci.inputs import Matrix
from diffoci.labs.feature_selection.training import Training

Kind = Literal["class", "number"]


@dataclass(frozen=True, eq=False)
class Task:
    """One draw or split: what selectors are given.

    `x` holds all rows, coded and standardised on the training ones; `feature_of_column` says which feature each of its
    columns belongs to. `y` are codes of classes, or numbers. `truth` are the features that y was made from, where that
    is known.
    """

    x: Matrix
    y: NDArray[Any]
    kind: Kind
    split: Split
    names: tuple[str, ...]
    feature_of_column: NDArray[np.int64]
    truth: tuple[int, ...] | None = None

    def columns_of(self, features: NDArray[Any] | tuple[int, ...]) -> NDArray[np.intp]:
        """The columns that stand for some features."""
        return np.flatnonzero(np.isin(self.feature_of_column, np.asarray(features, dtype=np.int64)))

    def features_of(self, columns: NDArray[Any]) -> tuple[int, ...]:
        """The features that some columns stand for, in order, once each."""
        return tuple(sorted({int(self.feature_of_column[column]) for column in columns}))


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Data that are generated, with every number that decides them as an option.

    `draw` gets a seed and every option by its name. `trainings` are the settings that difFOCI chooses among on
    validation rows, by the name of the method. `formula` says how y is made.
    """

    name: str
    title: str
    formula: str
    draw: Callable[..., Task]
    options: tuple[Option, ...]
    trainings: Mapping[str, tuple[Training, ...]]
    kind: Kind = "number"

    def filled_in(self, knobs: Mapping[str, Any]) -> dict[str, Any]:
        """Every option, given or by default, checked."""
        known = {option.name: option for option in self.options}
        if unknown := [name for name in knobs if name not in known]:
            raise ValueError(f"'{unknown[0]}' is not an option of {self.title}; options are {', '.join(known)}.")
        for name, value in knobs.items():
            known[name].check(value)
        return {name: knobs.get(name, option.default) for name, option in known.items()}


def standard_task(
    x: NDArray[Any], y: NDArray[Any], *, kind: Kind, split: Split, truth: tuple[int, ...] | None, names: tuple[str, ...]
) -> Task:
    """A task of number columns, standardised on the training rows."""
    training = x[split.train]
    deviation = training.std(axis=0)
    coded = (x - training.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return Task(coded.astype(np.float32), y, kind, split, names, np.arange(x.shape[1]), truth)


def cut_rows(rows: int, seed: int, fractions: tuple[float, float, float] = (0.75, 0.15, 0.10)) -> Split:
    """Rows in three parts at random: generated rows and numbers have no groups to keep in proportion."""
    order = np.random.default_rng([seed, 1]).permutation(rows)
    first, second = round(rows * fractions[0]), round(rows * (fractions[0] + fractions[1]))
    parts = (np.sort(order[:first]), np.sort(order[first:second]), np.sort(order[second:]))
    return Split(*parts, seed)

"""Selector: one way to choose or make features, declared once; whatever lists, runs or explains it reads it here."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffoci.inputs import Matrix
from diffoci.labs.feature_selection.families import MODEL
from diffoci.labs.feature_selection.problem import Kind, Task
from diffoci.labs.feature_selection.training import Training
from diffoci.runs.study import Watch

BOTH: tuple[Kind, ...] = ("class", "number")


@dataclass(frozen=True, eq=False)
class Asked:
    """What a selector is given: the rows, the seed, and of difFOCI the trainings to choose among and beta."""

    task: Task
    seed: int
    watch: Watch = field(default_factory=Watch)
    trainings: tuple[Training, ...] = ()
    beta: float = 5.0


@dataclass(frozen=True, eq=False)
class Found:
    """What a selector made of all rows.

    `selected` are features; None where it mixes columns and so selects none. `theta` are the weights of features by
    epoch (the last line is what came of it); `T` is the soft coefficient of the training rows. `chosen` says what was
    chosen on validation rows.
    """

    z: Matrix
    selected: tuple[int, ...] | None = None
    theta: NDArray[np.float64] | None = None
    T: float | None = None
    chosen: str = ""


@dataclass(frozen=True, kw_only=True)
class Selector:
    """One way to choose features.

    Parameters
    ----------
    name, title, description : str
        What a specification calls it, what a reader does, and what it does in a sentence.
    build : callable
        Gets an `Asked`, returns `Found`. It may learn from training rows and choose on validation rows.
    kinds : tuple of {"class", "number"}
        Which y it can learn from.
    family : str
        How it is drawn, see `diffoci.labs.feature_selection.families`.
    needs, extra : str
        A module that must be installed, and the extra of this package that brings it.
    trained : bool
        It is difFOCI and has epochs, settings and beta.
    tests : bool
        A test decides how many columns it keeps, not a number or share given to it.
    cost : float
        Its share of the work beside others.
    """

    name: str
    title: str
    description: str
    build: Callable[[Asked], Found]
    kinds: tuple[Kind, ...] = BOTH
    family: str = MODEL
    needs: str = ""
    extra: str = ""
    trained: bool = False
    tests: bool = False
    cost: float = 1.0

    def missing(self) -> str:
        """Say how to get what it needs; empty where it is installed."""
        if not self.needs or importlib.util.find_spec(self.needs) is not None:
            return ""
        return self.how_to_get_it

    @property
    def how_to_get_it(self) -> str:
        """Say which package it needs."""
        return f"{self.title} needs the package {self.needs}: pip install 'diffoci[{self.extra}]'."


def kept_columns(task: Task, support: NDArray[Any]) -> Found:
    """The columns that a selector keeps, and all others of the same features left out."""
    columns = np.flatnonzero(support)
    return Found(task.x[:, columns], task.features_of(columns))

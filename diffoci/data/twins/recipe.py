"""What a twin models: which raw columns go together, which cells they are fitted in, and the real file to fit to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd


@dataclass(frozen=True)
class Variable:
    """Raw columns modelled as one: several where one is nearly a function of another (a day and its interest rate)."""

    columns: tuple[str, ...]
    kind: Literal["number", "ordered", "nominal"]
    step: float = 1.0


@dataclass(frozen=True)
class Factor:
    """One way to cut the table into cells: the group that a value of a variable falls in.

    Across a `structural` factor nothing is shared: what a four-year-old is not asked, no child is.
    """

    variable: int
    group: Callable[[Any], str]
    structural: bool = False


@dataclass(frozen=True)
class Recipe:
    """What to model of a table. Factors come with the most important first: the label, then the groups."""

    variables: tuple[Variable, ...]
    factors: tuple[Factor, ...]


def read_semicolons(path: Path) -> pd.DataFrame:
    # "unknown" is a level of its own in these files; pandas must not read more into text.
    return pd.read_csv(path, sep=";", keep_default_na=False)


@dataclass(frozen=True)
class Origin:
    """The real file of a twin: where it lies below the data folder (the first that is there), how to read it.

    `name` is that of the file of parameters.
    """

    name: str
    files: tuple[str, ...]
    recipe: Recipe
    read: Callable[[Path], pd.DataFrame] = read_semicolons


def itself(value: Any) -> str:
    return str(value)


def bands(*starts: float) -> Callable[[Any], str]:
    """Return a grouping of numbers: which of the bands that begin at `starts` a number lies in."""
    return lambda value: str(sum(value >= start for start in starts))


def recipe(
    *,
    number: Sequence[str] = (),
    ordered: Sequence[str] = (),
    nominal: Sequence[str | tuple[str, ...]] = (),
    structure: Sequence[tuple[str, Callable[[Any], str]]] = (),
    cells: Sequence[tuple[str | tuple[str, ...], Callable[[Any], str]]],
) -> Recipe:
    """Spell a recipe by column names; a tuple among `nominal` is modelled as one variable."""
    variables = (
        *(Variable((name,), "number") for name in number),
        *(Variable((name,), "ordered") for name in ordered),
        *(Variable(_columns(name), "nominal") for name in nominal),
    )
    where = {variable.columns: index for index, variable in enumerate(variables)}
    return Recipe(
        variables,
        (
            *(Factor(where[_columns(name)], group, structural=True) for name, group in structure),
            *(Factor(where[_columns(name)], group) for name, group in cells),
        ),
    )


def _columns(name: str | tuple[str, ...]) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else name

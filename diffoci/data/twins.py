"""Simulated twins of ACS income, ACS employment, Bank and Student, for use with no file and no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from diffoci.data.dataset import Dataset
from diffoci.data.generated_size import check_generated_size
from diffoci.data.twin_datasets import acs_twin, bank_twin, student_twin
from diffoci.data.twin_fit import fit_twins
from diffoci.data.twin_model import Parameters, draw

__all__ = ["NAMES", "PARAMETERS_FOLDER", "draw_table", "fit_twins", "load_twin", "options_of", "parameters_of"]

PARAMETERS_FOLDER = Path(__file__).parent / "twin_parameters"

_OPTIONS: dict[str, tuple[str, ...]] = {
    "acs-income": ("race", "paper_ages"),
    "acs-employment": ("race", "paper_ages"),
    "bank": ("duration",),
    "student": ("subject", "grades"),
}
NAMES = tuple(_OPTIONS)


def load_twin(
    name: str,
    *,
    sensitive: str | Sequence[str] | None = None,
    seed: int = 0,
    rows: int | None = None,
    **options: Any,
) -> Dataset:
    """Draw a simulated twin: the real source's columns, kinds, label and attributes, and no real row.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    sensitive : str or sequence of str, optional
        Any attribute the real source has; its default where none is named.
    seed : int
        The same seed draws the same table.
    rows : int, optional
        As many as the twin was fitted to, unless said.
    **options
        Those of the real source that make sense for a twin, see `options_of`.

    Examples
    --------
    >>> twin = load_twin("student")
    >>> len(twin), twin.real
    (395, False)
    """
    unknown = [option for option in options if option not in options_of(name)]
    if unknown:
        raise ValueError(
            f"The simulated twin of {name} has no option '{unknown[0]}'; its options are {', '.join(options_of(name))}."
        )
    table = draw_table(name, seed=seed, rows=rows, subject=options.get("subject", "mat"))
    return _builder(name)(table, sensitive=sensitive, **options)


def options_of(name: str) -> tuple[str, ...]:
    """Return the options a twin takes beyond `sensitive`."""
    if name not in _OPTIONS:
        raise ValueError(f"There is no simulated twin of '{name}'; there are twins of {', '.join(NAMES)}.")
    return ("seed", "rows", *_OPTIONS[name])


def draw_table(name: str, *, seed: int = 0, rows: int | None = None, subject: str = "mat") -> pd.DataFrame:
    """Draw the raw table, in the columns and codes of the published file."""
    parameters = parameters_of(name, subject=subject)
    if rows is None:
        rows = parameters["rows"]
    if rows < 1:
        raise ValueError(f"A twin needs at least one row, got {rows}.")
    check_generated_size(f"The simulated twin of {name}", rows, len(parameters["columns"]))
    return draw(parameters, rows=rows, seed=seed)[parameters["columns"]]


def parameters_of(name: str, *, subject: str = "mat") -> Parameters:
    """Read a twin's parameters, which the package brings along."""
    options_of(name)
    if name == "student" and subject not in ("mat", "por"):
        raise ValueError(f"'{subject}' is not a subject of the student twin; choose from mat, por.")
    file = "student-por" if name == "student" and subject == "por" else name
    return json.loads((PARAMETERS_FOLDER / f"{file}.json").read_text(encoding="utf-8"))


def _builder(name: str) -> Callable[..., Dataset]:
    if name == "student":
        return student_twin
    if name == "bank":
        return bank_twin
    return lambda table, **options: acs_twin(name, table, **options)

"""Fit the twins to the real files and write their parameters.

What is written are shares, rank correlations and levels of whole groups. No level, and no share of a level
in a group, rests on fewer than `FEWEST` people (rarer ones are merged or follow the larger group),
cell sizes are rounded to multiples of it, and no record is kept: no real row can be read back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from diffoci.data import twin_recipes
from diffoci.data.acs import problem_named
from diffoci.data.acs_files import read_persons
from diffoci.data.twin_model import Parameters, Recipe, fit

INCOME_LABEL = "PINCP_gt_50000"


@dataclass(frozen=True)
class Origin:
    """The real file of a twin: where it lies below the data folder (the first that is there), how to read it."""

    name: str
    files: tuple[str, ...]
    read: Callable[[Path], pd.DataFrame]
    recipe: Recipe


def read_semicolons(path: Path) -> pd.DataFrame:
    # "unknown" is a level of its own in these files; pandas must not read more into text.
    return pd.read_csv(path, sep=";", keep_default_na=False)


def read_income(path: Path) -> pd.DataFrame:
    """Return the rows of folktables' ACSIncome with the label, from ready task rows or a raw person file."""
    problem = problem_named("ACSIncome")
    if path.parent.name == "derived":
        return pd.read_csv(path, usecols=[*problem.features, INCOME_LABEL])[[*problem.features, INCOME_LABEL]]
    raw = read_persons(path, name=path.name, columns=[*problem.features, "PINCP", "PWGTP"])
    rows = problem._preprocess(raw).reset_index(drop=True)
    return rows[problem.features].assign(**{INCOME_LABEL: (rows["PINCP"] > 50_000).astype(int)})


def read_employment(path: Path) -> pd.DataFrame:
    problem = problem_named("ACSEmployment")
    return read_persons(path, name=path.name, columns=[*problem.features, "ESR"])


ORIGINS = (
    Origin(
        "acs-income",
        ("acs/derived/ACSIncome_2018_AL_40pct.csv", "acs/2018/1-Year/psam_p01.csv"),
        read_income,
        twin_recipes.ACS_INCOME,
    ),
    Origin("acs-employment", ("acs/2017/1-Year/psam_p01.csv",), read_employment, twin_recipes.ACS_EMPLOYMENT),
    Origin("bank", ("bank/bank-additional-full.csv",), read_semicolons, twin_recipes.BANK),
    Origin("student", ("student/student-mat.csv",), read_semicolons, twin_recipes.STUDENT),
    Origin("student-por", ("student/student-por.csv",), read_semicolons, twin_recipes.STUDENT),
)


def read_origin(origin: Origin, folder: Path) -> pd.DataFrame:
    """Read the real table a twin is fitted to."""
    for name in origin.files:
        if (folder / name).is_file():
            return origin.read(folder / name)
    raise ValueError(f"The twin of {origin.name} needs {' or '.join(origin.files)} in {folder}.")


def fit_twin(origin: Origin, folder: Path) -> Parameters:
    """Fit one twin; the same file always gives the same parameters."""
    table = read_origin(origin, folder)
    return {"name": origin.name, "columns": list(table.columns), **fit(table, origin.recipe)}


def fit_twins(from_dir: Path, out_dir: Path) -> list[Path]:
    """Fit every twin to the real files in `from_dir` and write one JSON file each to `out_dir`."""
    fitted = {origin.name: fit_twin(origin, Path(from_dir)) for origin in ORIGINS}
    out_dir = Path(out_dir)
    out_dir.mkdir(parents=True, exist_ok=True)
    written = []
    for name, parameters in fitted.items():
        path = out_dir / f"{name}.json"
        path.write_text(json.dumps(parameters, separators=(",", ":")) + "\n", encoding="utf-8")
        written.append(path)
    return written

"""Simulated twins of ACS income and employment: people of Alabama, of whom none is real."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from diffoci.data.acs._person_files import read_persons
from diffoci.data.acs._tasks import Race, as_dataset, problem_named
from diffoci.data.dataset import Dataset
from diffoci.data.twins import Origin, bands, draw_table, itself, marked, recipe

_INCOME = "PINCP_gt_50000"
_LABELS = {"acs-income": _INCOME, "acs-employment": "ESR"}
_ORIGIN = ("RAC1P", "CIT", "NATIVITY")


def load_twin(
    name: str, *, sensitive: Sequence[str], race: Race, paper_ages: bool, rows: int | None, seed: int
) -> Dataset:
    """Draw simulated people for one of the tasks that have a twin."""
    people = draw_table(name, rows=rows, seed=seed).astype(np.float64)
    data = as_dataset(
        name,
        people.drop(columns=_LABELS[name]),
        (people[_LABELS[name]] == 1).to_numpy(dtype=np.int64),
        sensitive=sensitive,
        race=race,
        paper_ages=paper_ages,
        where="Alabama",
        notes=("The twin has no survey weights.",),
        source="",
    )
    return marked(data)


def _read_income(path: Path) -> pd.DataFrame:
    """Return the rows of folktables' ACSIncome with the label, from ready task rows or a raw person file."""
    problem = problem_named("ACSIncome")
    if path.parent.name == "derived":
        return pd.read_csv(path, usecols=[*problem.features, _INCOME])[[*problem.features, _INCOME]]
    raw = read_persons(path, name=path.name, columns=[*problem.features, "PINCP", "PWGTP"])
    rows: pd.DataFrame = problem._preprocess(raw).reset_index(drop=True)
    return rows[list(problem.features)].assign(**{_INCOME: (rows["PINCP"] > 50_000).astype(int)})


def _read_employment(path: Path) -> pd.DataFrame:
    problem = problem_named("ACSEmployment")
    return read_persons(path, name=path.name, columns=[*problem.features, "ESR"])


def _race(code: Any) -> str:
    return {1: "white", 2: "black", 6: "asian"}.get(int(code), "other")


def _origin(codes: Any) -> str:
    """Group by race those born in the country; those born abroad differ more from them than by race."""
    return "abroad" if codes[2] == 2 else _race(codes[0])


def _employed(code: Any) -> str:
    return "employed" if code == 1 else "not employed"


ORIGINS = {
    "acs-income": Origin(
        "acs-income",
        ("acs/derived/ACSIncome_2018_AL_40pct.csv", "acs/2018/1-Year/psam_p01.csv"),
        recipe(
            number=["AGEP", "WKHP"],
            ordered=["SCHL"],
            nominal=[_INCOME, "SEX", "RAC1P", "COW", ("MAR", "RELP"), "OCCP", "POBP"],
            cells=[
                (_INCOME, itself),
                ("SEX", itself),
                ("RAC1P", _race),
                ("SCHL", bands(18, 21)),
                ("AGEP", bands(25, 55)),
            ],
        ),
        _read_income,
    ),
    # What a person is asked depends on age alone: schooling from 3, hearing from 5, work from 16, service from 17.
    "acs-employment": Origin(
        "acs-employment",
        ("acs/2017/1-Year/psam_p01.csv",),
        recipe(
            number=["AGEP"],
            ordered=["SCHL"],
            nominal=[
                "ESR", "SEX", _ORIGIN, ("MAR", "RELP"), ("DIS", "DEAR", "DEYE", "DREM"), "ESP", "MIG", "MIL", "ANC",
            ],
            structure=[("AGEP", bands(1, 3, 5, 15, 16, 17, 18))],
            cells=[("ESR", _employed), ("SEX", itself), (_ORIGIN, _origin), ("AGEP", bands(25, 40, 55, 65))],
        ),
        _read_employment,
    ),
}  # fmt: skip

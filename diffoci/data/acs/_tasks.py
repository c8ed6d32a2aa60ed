"""American Community Survey tasks as folktables defines them, read our way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from diffoci.data._attributes import Attribute, banded, choose, level_codes
from diffoci.data._levels import levels_series
from diffoci.data.acs import _codes as acs_codes
from diffoci.data.acs._person_files import COLUMNS as READABLE
from diffoci.data.acs._person_files import person_file, read_persons
from diffoci.data.acs._places import STATE_CODES
from diffoci.data.dataset import Dataset
from diffoci.data.fetching.files import RemoteFile, data_folder, fetch, locate

USUAL_THRESHOLD = 50_000.0  # folktables' ACSIncome
LICENCE = "public domain (U.S. Census Bureau)"
CITATION = (
    "U.S. Census Bureau, American Community Survey Public Use Microdata Sample; task by F. Ding,"
    " M. Hardt, J. Miller, L. Schmidt (2021). Retiring Adult. NeurIPS 34."
)
Race = Literal["grouped", "recorded"]
_EVERY_ATTRIBUTE = ("sex", "race", "age", "marital", "citizenship", "nativity", "disability")


@dataclass(frozen=True)
class Task:
    """A task of folktables in words.

    `asked` is its question in short; `sensitive` are the attributes that its columns allow; `kept` says whom its
    definition keeps, where not everybody.
    """

    problem: str
    title: str
    asked: str
    label_name: str
    label_classes: tuple[str, str]
    sensitive: tuple[str, ...] = _EVERY_ATTRIBUTE
    kept: str = ""

    def outcome(self, threshold: float) -> str:
        """Name the label; where it is a high income, with what counts as one."""
        return self.label_name.format(threshold=threshold)


TASKS = {
    "acs-income": Task(
        "ACSIncome", "ACS income", "income", "income above {threshold:,.0f} dollars", ("no", "yes"),
        ("sex", "race", "age", "marital"),
        "people over 16 who usually work at least an hour a week and have an income above 100 dollars",
    ),
    "acs-employment": Task(
        "ACSEmployment", "ACS employment", "employment", "employed, at work", ("not employed", "employed"),
    ),
    "acs-public-coverage": Task(
        "ACSPublicCoverage", "ACS public coverage", "public health coverage", "has public health coverage",
        ("no", "yes"), kept="people under 65 with an income of at most 30,000 dollars",
    ),
    "acs-mobility": Task(
        "ACSMobility", "ACS mobility", "moved within a year", "same address as a year ago", ("moved", "same"),
        kept="people over 18 and under 35",
    ),
    "acs-travel-time": Task(
        "ACSTravelTime", "ACS travel time", "long commute", "commute over 20 minutes", ("no", "yes"),
        ("sex", "race", "age", "marital", "citizenship", "disability"),
        "people over 16 who are employed and at work",
    ),
}  # fmt: skip


def parse_states(state: str | Sequence[str]) -> tuple[str, ...]:
    """Read "AL", "AL,GA", ["AL", "GA"] or "all" (the 50 states and the District of Columbia)."""
    names = re.split(r"[,\s]+", state.strip()) if isinstance(state, str) else list(state)
    names = [name.strip().upper() for name in names if name.strip()]
    if names == ["ALL"]:
        return tuple(code for code in STATE_CODES if code != "PR")
    if not names:
        raise ValueError("No state is named; give a postal code such as AL.")
    return tuple(dict.fromkeys(names))


def files(*, state: str | Sequence[str], year: int, horizon: str) -> tuple[RemoteFile, ...]:
    """Return the published files of one or several states."""
    return tuple(person_file(name, year, horizon) for name in parse_states(state))


def load_acs(
    name: str,
    *,
    state: str | Sequence[str],
    year: int,
    horizon: str,
    sensitive: Sequence[str],
    race: Race,
    paper_ages: bool,
    threshold: float = USUAL_THRESHOLD,
) -> Dataset:
    """Load one of `TASKS`; another `threshold` than folktables' is for "acs-income" only."""
    task = TASKS[name]
    published = files(state=state, year=year, horizon=horizon)
    derived = derived_file(name, state=state, year=year, horizon=horizon)
    if derived is None:
        rows, label, notes = _rows_of_task(task, published, threshold)
    else:
        rows, label, notes = _read_derived(derived, threshold)
    return as_dataset(
        name, rows, label, sensitive=sensitive, race=race, paper_ages=paper_ages, threshold=threshold,
        where=f"{', '.join(parse_states(state))} {year}, {horizon}", notes=notes, source=published[0].address,
    )  # fmt: skip


def problem_named(name: str) -> Any:
    """Return the task definition of folktables, imported only now because it is slow to import."""
    import folktables

    return getattr(folktables, name)


def _rows_of_task(
    task: Task, published: Sequence[RemoteFile], threshold: float
) -> tuple[pd.DataFrame, np.ndarray, tuple[str, ...]]:
    problem = problem_named(task.problem)
    filtered_on = ("AGEP", "PINCP", "WKHP", "PWGTP", "ESR")  # what folktables' filters look at
    needed = list(dict.fromkeys([*problem.features, problem.target, *filtered_on]))
    if unreadable := set(needed).difference(READABLE):
        raise ValueError(f"{task.problem} needs {', '.join(unreadable)}, which is not read.")
    parts, labels, people = [], [], 0
    for file in published:
        local = fetch(file)
        # State by state, so that filtered-out rows are gone before the next file is read.
        persons = read_persons(local.path, name=file.name, columns=needed)
        people += len(persons)
        rows = problem._preprocess(persons)
        target = rows[problem.target]
        label = problem.target_transform(target) if threshold == USUAL_THRESHOLD else target > threshold
        labels.append(label.to_numpy(dtype=np.int64))
        parts.append(rows[list(dict.fromkeys([*problem.features, "PWGTP"]))])
    rows = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0].reset_index(drop=True)
    left_out = people - len(rows)
    note = f"{left_out:,} of {people:,} people are left out: the task keeps {task.kept}."
    return rows, np.concatenate(labels), (note,) if left_out else ()


def derived_file(name: str, *, state: str | Sequence[str], year: int, horizon: str) -> Path | None:
    """Find ready task rows of this state and year in DIFFOCI_DATA, for want of the raw file."""
    folder, states = data_folder(), parse_states(state)
    if folder is None or name != "acs-income" or len(states) != 1 or horizon != "1-Year":
        return None
    candidates = sorted((folder / "acs" / "derived").glob(f"ACSIncome_{year}_{states[0]}*.csv"))
    if not candidates or locate(person_file(states[0], year, horizon)) is not None:
        return None
    return candidates[0]


def _read_derived(path: Path, threshold: float) -> tuple[pd.DataFrame, np.ndarray, tuple[str, ...]]:
    if threshold != USUAL_THRESHOLD:
        raise ValueError(
            f"{path.name} holds only whether income is above 50,000 dollars; another threshold needs the raw ACS file."
        )
    problem = problem_named("ACSIncome")
    recorded = pd.read_csv(path)
    if missing := {*problem.features, "PINCP_gt_50000"}.difference(recorded.columns):
        raise ValueError(f"{path} lacks {', '.join(sorted(missing))}.")
    share = re.search(r"_(\d+)pct", path.stem)
    size = f"{share[1]} % of the state's rows" if share else "ready task rows"
    note = f"Read from {path.name}: {size}, without survey weights."
    rows = recorded[problem.features].astype(np.float64)
    return rows, recorded["PINCP_gt_50000"].to_numpy(dtype=np.int64), (note,)


def attributes(race: Race) -> dict[str, Attribute]:
    """Return the sensitive attributes the ACS columns allow."""
    race_levels = acs_codes.RACE if race == "recorded" else acs_codes.RACE_GROUPED
    race_note = (
        "Race is used as recorded (RAC1P)."
        if race == "recorded"
        else "Race is grouped from RAC1P: White alone, Black or African American alone, Asian alone; Other is"
        " everyone else."
    )
    citizenship = dict.fromkeys("123", "Citizen by birth") | {
        "4": "Naturalized citizen",
        "5": "Not a citizen",
    }
    return {
        "sex": _coded(("SEX",), acs_codes.SEX),
        "race": _coded(("RAC1P",), race_levels, race_note),
        "age": banded("AGEP", [25, 40, 55, 65]),
        "marital": _coded(("MAR",), acs_codes.MARITAL),
        # Whoever was not born a citizen was born abroad: each of the two columns gives the other away.
        "citizenship": _coded(("CIT", "NATIVITY"), citizenship, "Citizenship is grouped from CIT."),
        "nativity": _coded(("NATIVITY", "CIT"), acs_codes.NATIVITY),
        # DIS is computed from the single difficulties, so they leave with it.
        "disability": _coded(("DIS", "DEAR", "DEYE", "DREM"), acs_codes.DISABILITY),
    }


def _coded(columns: tuple[str, ...], levels: dict[str, str], note: str = "") -> Attribute:
    def read(frame: pd.DataFrame) -> pd.Series:
        return level_codes(_as_levels(frame[columns[0]]), levels)

    return Attribute(columns, read, note)


def _as_levels(values: pd.Series, *, ordered: bool = False) -> pd.Series:
    """Turn numeric codes into string levels in the order of the codes; blanks are the level N/A."""
    numbers = values.to_numpy(dtype=np.float64)
    found, codes = np.unique(numbers, return_inverse=True, equal_nan=True)
    levels = [acs_codes.NOT_APPLICABLE if np.isnan(code) else str(int(code)) for code in found]
    if ordered and levels and levels[-1] == acs_codes.NOT_APPLICABLE:
        # "Not asked" (too young for school) is below every level of schooling.
        levels = [levels[-1], *levels[:-1]]
        codes = (codes + 1) % len(levels)
    return levels_series(codes, levels, index=values.index, name=values.name, ordered=ordered)


def as_dataset(
    name: str, rows: pd.DataFrame, label: np.ndarray, *, sensitive: Sequence[str], race: Race, paper_ages: bool,
    where: str, notes: tuple[str, ...], source: str, threshold: float = USUAL_THRESHOLD,
) -> Dataset:  # fmt: skip
    """Build the Dataset of a task's rows (float codes), however they were come by."""
    if paper_ages:
        inside = rows["AGEP"].between(16, 90).to_numpy()
        rows, label = rows[inside].reset_index(drop=True), label[inside]
        notes = (*notes, "Only people of 16 to 90 years are kept, as in the paper.")
    task = TASKS[name]
    if len(rows) == 0:
        raise ValueError(f"Nobody in {task.title}, {where} passes the filter of {name}.")
    chosen = choose(rows, attributes(race), sensitive)
    features = {}
    for column in rows.columns:
        if column == "PWGTP" or column in chosen.columns:
            continue
        kind = acs_codes.kind_of(column)
        values = rows[column]
        features[column] = values if kind == "number" else _as_levels(values, ordered=kind == "ordered")
    columns = tuple(
        acs_codes.describe(column, [] if values.dtype == np.float64 else list(values.cat.categories))
        for column, values in features.items()
    )
    return Dataset(
        name=name,
        title=f"{task.title}, {where}",
        features=pd.DataFrame(features, index=rows.index),
        columns=columns,
        label=pd.Series(label, index=rows.index, name="label"),
        label_name=task.outcome(threshold),
        label_classes=task.label_classes,
        sensitive=chosen.frame,
        real=True,
        source=source,
        licence=LICENCE,
        citation=CITATION,
        notes=(*chosen.notes, *notes),
        weights=rows["PWGTP"].rename("weight") if "PWGTP" in rows else None,
    )

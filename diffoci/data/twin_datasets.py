"""From a simulated raw table to a Dataset, by the same columns, attributes and labels as the real loaders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from diffoci.data import acs, bank, student
from diffoci.data.attributes import Attribute, choose, feature_frame, names_of
from diffoci.data.dataset import Column, Dataset
from diffoci.data.twin_fit import INCOME_LABEL

Names = str | Sequence[str] | None

MARK = (
    "Simulated: no row is a person. Drawn from a model with the real margins and rank correlations within label"
    " and group; anything finer than that is not real, so draw no conclusion about people from it."
)


def student_twin(
    table: pd.DataFrame, *, sensitive: Names = None, subject: str = "mat", grades: bool = False
) -> Dataset:
    """Return simulated students as `load_student` returns real ones."""
    return _dataset(
        table,
        name="student" if subject == "mat" else f"student-{subject}",
        title=f"{student.TITLE}, {student.SUBJECTS[subject]}",
        columns=student.COLUMNS,
        attributes=student.ATTRIBUTES,
        names=names_of(sensitive, default=student.DEFAULT_SENSITIVE),
        left_out=() if grades else ("G1", "G2"),
        positive=table["G3"] >= student.PASS_MARK,
        label_name=f"final grade of {student.PASS_MARK} or more",
        label_classes=(f"below {student.PASS_MARK}", f"{student.PASS_MARK} or more"),
    )


def bank_twin(table: pd.DataFrame, *, sensitive: Names = None, duration: bool = False) -> Dataset:
    """Return simulated clients as `load_bank` returns real ones."""
    return _dataset(
        table,
        name="bank",
        title=bank.TITLE,
        columns=bank.COLUMNS,
        attributes=bank.ATTRIBUTES,
        names=names_of(sensitive, default=bank.DEFAULT_SENSITIVE),
        left_out=() if duration else ("duration",),
        positive=table["y"] == "yes",
        label_name="subscribed a term deposit",
        label_classes=("no", "yes"),
    )


def acs_twin(
    name: str, table: pd.DataFrame, *, sensitive: Names = None, race: acs.Race = "grouped", paper_ages: bool = False
) -> Dataset:
    """Return simulated people as `load_acs` returns real ones."""
    if race not in ("grouped", "recorded"):
        raise ValueError(f"'{race}' is not a way to read race; choose grouped or recorded.")
    rows = table.astype(np.float64)
    notes: tuple[str, ...] = ("The twin has no survey weights.",)
    if paper_ages:
        rows = rows[rows["AGEP"].between(16, 90)].reset_index(drop=True)
        notes = (*notes, "Only people of 16 to 90 years are kept, as in the paper.")
    target = INCOME_LABEL if name == "acs-income" else "ESR"
    # The census loader already builds from a plain table, so the twin goes through the very same function.
    data = acs._as_dataset(
        name,
        acs.TASKS[name],
        rows.drop(columns=target),
        (rows[target] == 1).to_numpy(dtype=np.int64),
        names=names_of(sensitive, default=acs.DEFAULT_SENSITIVE),
        race=race,
        threshold=acs.USUAL_THRESHOLD,
        where="Alabama",
        notes=notes,
        source="",
    )
    return marked(data)


def marked(data: Dataset) -> Dataset:
    """Return the data with the mark that every page, result and report shows."""
    return replace(
        data,
        title=f"{data.title} (simulated)",
        real=False,
        source="Simulated by diffoci from aggregate parameters",
        notes=(MARK, *data.notes),
    )


def _dataset(
    table: pd.DataFrame,
    *,
    name: str,
    title: str,
    columns: Sequence[Column],
    attributes: Mapping[str, Attribute],
    names: Sequence[str],
    left_out: Sequence[str],
    positive: pd.Series,
    label_name: str,
    label_classes: tuple[str, str],
) -> Dataset:
    chosen = choose(table, attributes, names, title=title)
    kept = tuple(column for column in columns if column.name not in {*chosen.columns, *left_out})
    note = (f"{', '.join(left_out)} left out, as in the real loader's default.",) if left_out else ()
    return marked(
        Dataset(
            name=name,
            title=title,
            features=feature_frame(table, kept),
            columns=kept,
            label=positive.astype("int64").rename("label"),
            label_name=label_name,
            label_classes=label_classes,
            sensitive=chosen.frame,
            real=False,
            source="",
            licence="MIT; the model was fitted to data under CC BY 4.0",
            citation=f"Simulated after {title}, UCI Machine Learning Repository.",
            notes=(*note, *chosen.notes),
        )
    )

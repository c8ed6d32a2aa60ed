"""From a simulated raw table to a Dataset, by the same columns, attributes and labels as the real loaders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from diffoci.data import acs, bank, student
from diffoci.data.attributes import names_of
from diffoci.data.dataset import Dataset
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
    return marked(student.as_dataset(table, subject=subject, sensitive=sensitive, grades=grades))


def bank_twin(table: pd.DataFrame, *, sensitive: Names = None, duration: bool = False) -> Dataset:
    """Return simulated clients as `load_bank` returns real ones."""
    return marked(bank.as_dataset(table, sensitive=sensitive, duration=duration))


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
    data = acs.as_dataset(
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
        licence=f"MIT; the model was fitted to data under: {data.licence}",
        citation=f"Simulated after: {data.citation}",
        notes=(MARK, *data.notes),
    )

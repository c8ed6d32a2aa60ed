"""Draw the raw table of a twin, and mark the data made of it as simulated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd

from diffoci.data._generated_size import MOST_ROWS, check_generated_size
from diffoci.data._option import Option
from diffoci.data.dataset import Dataset

PARAMETERS_FOLDER = Path(__file__).parent / "parameters"
MARK = (
    "Simulated: no row is a person. Drawn from a model with the real margins and rank correlations within label"
    " and group; anything finer than that is not real, so draw no conclusion about people from it."
)
SEED = Option("seed", "whole", "seed of the random draw", default=0, least=0, most=2**32 - 1, on_form=False)
# What every twin takes beside the options of its source.
OF_TWINS = (
    replace(SEED, rows="twin"),
    Option("rows", "whole", "how many rows", least=1, most=MOST_ROWS, on_form=False, flag=True, rows="twin"),
)


def draw_table(name: str, *, seed: int = 0, rows: int | None = None) -> pd.DataFrame:
    """Draw a raw table by the parameters called `name`, in the columns and codes of the published file.

    There are as many rows as the twin was fitted to, unless said; the same seed draws the same table.
    """
    from diffoci.data.twins.model import draw

    parameters = json.loads((PARAMETERS_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    rows = parameters["rows"] if rows is None else rows
    check_generated_size(f"The simulated twin of {name}", rows, len(parameters["columns"]))
    columns: list[str] = parameters["columns"]
    return draw(parameters, rows=rows, seed=seed)[columns]


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

"""Fit the twins to the real files and write their parameters.

What is written are shares, rank correlations and levels of whole groups. No level, and no share of a level
in a group, rests on fewer than `FEWEST` people (rarer ones are merged or follow the larger group),
cell sizes are rounded to multiples of it, and no record is kept: no real row can be read back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from diffoci.data.twins.model import Parameters, fit
from diffoci.data.twins.recipe import Origin


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


def fit_twins(origins: Sequence[Origin], from_dir: Path, out_dir: Path) -> list[Path]:
    """Fit twins to the real files in `from_dir` and write one JSON file each to `out_dir`."""
    fitted = {origin.name: fit_twin(origin, from_dir) for origin in origins}
    out_dir.mkdir(parents=True, exist_ok=True)
    written = []
    for name, parameters in fitted.items():
        path = out_dir / f"{name}.json"
        path.write_text(json.dumps(parameters, separators=(",", ":")) + "\n", encoding="utf-8")
        written.append(path)
    return written

"""What more learned features cost in leakage: ``python -m tests.measure.width [--splits N] [--rows N] [--measures …]``.

dF2 with a penalty of 1 on the simulated twin of ACS income, guessing sex; figures are of test rows, seeds from 300 on.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

import pandas as pd

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS
from diffoci.audit.presets import PRESETS
from diffoci.runs.study import Watch
from tests.measure.frontier import FIRST_SEED, rows_of, scores

WIDTHS, MEASURES = (1, 2, 4, 8), ("T-ranks", "T", "projections")


def main() -> None:
    """Print one line for every width and measure."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("--splits", type=int, default=3)
    reading.add_argument("--rows", type=int, default=8000)
    reading.add_argument("--measures", nargs="+", choices=MEASURES, default=MEASURES)
    asked = reading.parse_args()
    settings: dict[str, Any] = {**PRESETS["standard"].settings, "device": "cpu", "dF2_penalties": (1.0,)}
    how = {name: settings[name] for name in ("coding", "fractions", "pieces")}
    dataset = rows_of("income twin, sex", asked.rows)
    lines = []
    for seed in range(FIRST_SEED, FIRST_SEED + asked.splits):
        prepared = PreparedSplit.of(dataset, seed=seed, **how)
        for width, measure in product(WIDTHS, asked.measures):
            if width == 1 and measure == "projections":
                continue  # one feature is one direction
            own = {**settings, "penalised": {**settings["penalised"], "width": width, "measure": measure}}
            z = METHODS["dF2"].build(prepared, own, seed, Watch()).z
            lines.append({"width": width, "measure": measure, **scores(z, prepared, settings, seed)})
    print(pd.DataFrame(lines).groupby(["width", "measure"]).mean().round(3).to_string())


if __name__ == "__main__":
    main()

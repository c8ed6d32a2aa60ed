"""Scores of a method: everybody who was tested in some split, once, with the probability of the positive class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diffoci.audit.result import AuditResult
from diffoci.inputs import Floats, Ints
from diffoci.runs.cell_files import Origin, load_cell
from diffoci.runs.store import Run


@dataclass(frozen=True, eq=False)
class Scores:
    """Rows of the data and their scores."""

    rows: Ints
    score: Floats


def read_scores(run: Run, result: AuditResult, method: str) -> Scores:
    """Read what a finished audit kept; a person tested in several splits counts with the first, as in the result."""
    origin = Origin(run.spec.digest(), result.provenance.sha256)
    kept = [load_cell(run.cells, origin, f"{method}.{seed}") for seed in result.method(method).seeds]
    arrays = [cell.output.arrays for cell in kept if cell is not None]
    if not arrays or len(arrays) < len(kept):
        raise ValueError(
            f"The scores of {method} cannot be read: they are damaged, or another version of the program wrote them. "
            "Resume the audit on the Train page to compute them again."
        )
    rows = np.concatenate([one["test_rows"] for one in arrays])
    score = np.concatenate([one["y"][:, 1] for one in arrays]).astype(np.float64)
    unique, first = np.unique(rows, return_index=True)
    return Scores(unique, score[first])

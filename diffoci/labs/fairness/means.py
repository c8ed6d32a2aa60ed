"""What follows from repetitions: accuracies by part of the rows, and scores of a column, as means with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from diffoci.audit.means import mean_over_seeds
from diffoci.labs.fairness.result import PARTS, ColumnOutcome, Parts

OF_PARTS = (*PARTS, "majority")
OF_COLUMN = ("hard_log_loss", "log_loss", "accuracy", "kept")


def parts_of(found: Sequence[Mapping[str, float]]) -> Parts:
    """Accuracies in per cent over repetitions; `verify` works them out again."""
    return Parts(**{name: mean_over_seeds([one[name] for one in found], most=100.0) for name in OF_PARTS})


def column_of(name: str, found: Sequence[Mapping[str, float | None]]) -> ColumnOutcome:
    """One selector over repetitions."""
    means = {measure: mean_over_seeds([one[measure] for one in found], most=np.inf) for measure in OF_COLUMN}
    return ColumnOutcome(name=name, **means)

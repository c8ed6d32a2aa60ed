"""What a threshold on the scores of an audit decides about everybody who was tested."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from diffoci.audit.decisions import GroupComparison, decide
from diffoci.audit.thresholds import Threshold
from diffoci.data.dataset import Dataset
from diffoci.runs.store import Run
from diffoci.ui.results import scores_of


def compare(
    run: Run,
    dataset: Dataset,
    chosen: Mapping[str, str],
    by: tuple[str, ...],
    threshold: Threshold = 0.5,
    *,
    replicates: int = 2000,
) -> dict[str, GroupComparison]:
    """What a threshold decides about everybody who was tested, by each method's title."""
    found = {}
    for name, title in chosen.items():
        scores = scores_of(run, name)
        found[title] = decide(
            dataset.label.to_numpy()[scores.rows],
            sensitive=tested(dataset, scores.rows),
            score=scores.score,
            threshold=threshold,
            threshold_by=by[0] if not isinstance(threshold, float) else None,
            compare=[by],
            replicates=replicates,
        ).by(*by)
    return found


def tested(dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Sensitive attributes of the rows tested."""
    return dataset.sensitive.iloc[rows].reset_index(drop=True)

"""What a threshold on the scores of an audit decides about everybody who was tested."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from diffoci.audit.decisions import GroupComparison, decide
from diffoci.audit.decisions.group_rates import RATES
from diffoci.audit.decisions.grouping import group_by
from diffoci.audit.decisions.thresholds import Threshold, select
from diffoci.audit.decisions.weighting import weigh
from diffoci.data.dataset import Dataset
from diffoci.figures.decisions.rates import RATES as TITLES
from diffoci.figures.decisions.weighted import weighted_table
from diffoci.inputs import Ints
from diffoci.runs.store import Run
from diffoci.ui.runs.results import scores_of


def compare(
    run: Run,
    dataset: Dataset,
    chosen: Mapping[str, str],
    by: tuple[str, ...],
    threshold: Threshold = 0.5,
    *,
    beside: Mapping[str, Ints] | None = None,
    replicates: int = 2000,
) -> dict[str, GroupComparison]:
    """What a threshold decides about everybody who was tested, by each method's title.

    `beside` are decisions of models that exist about all rows, by title: they come last, and no threshold moves them.
    """
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
    for title, selected in (beside or {}).items():
        rows = scores_of(run, next(iter(chosen))).rows
        found[title] = decide(
            dataset.label.to_numpy()[rows],
            sensitive=tested(dataset, rows),
            y_pred=selected[rows],
            compare=[by],
            replicates=replicates,
        ).by(*by)
    return found


def weighted(
    run: Run, dataset: Dataset, chosen: Mapping[str, str], by: tuple[str, ...], threshold: Threshold = 0.5
) -> dict[str, pd.DataFrame]:
    """Rates and gaps of the population that weighted rows stand for, by each method's title."""
    if dataset.weights is None:
        return {}
    plain, found = compare(run, dataset, chosen, by, threshold, replicates=50), {}
    for name, title in chosen.items():
        scores = scores_of(run, name)
        people = tested(dataset, scores.rows)
        groups = group_by(people, by)
        selected = select(scores.score, threshold, sensitive=people, by=by[0])
        label = dataset.label.to_numpy()[scores.rows]
        weights = dataset.weights.to_numpy(dtype=np.float64)[scores.rows]
        counts = weigh(groups, label, selected, weights, replicates=1000, seed=0, confidence=0.95)
        rates = counts.rates(RATES)
        judged = [k for k, group in enumerate(plain[title].groups) if group.judged]
        largest = max(judged, key=lambda k: plain[title].groups[k].n, default=None)
        gaps = [] if largest is None else counts.gaps(RATES, judged, largest)
        found[title] = weighted_table(
            {counts.groups[k]: rates[k] for k in judged},
            {counts.groups[k]: plain[title].groups[k].rates for k in judged},
            gaps,
            TITLES,
        )
    return found


def tested(dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Sensitive attributes of the rows tested."""
    return dataset.sensitive.iloc[rows].reset_index(drop=True)

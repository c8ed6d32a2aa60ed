"""Which columns carry an attribute into a score: what each tells of both, and what goes once it is known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from diffoci.audit.result import Path
from diffoci.coefficients import T
from diffoci.foci import FOCI
from diffoci.model_audit.people import Model, People
from diffoci.model_audit.questions import as_target, sampled
from diffoci.model_audit.result import Carrier, Carriers, Criterion
from diffoci.model_audit.spec import ModelSettings

MOST_COLUMNS = 100
_ROWS = 2000
_STEPS = 8


def carriers(
    people: People, model: Model, attribute: str, independence: Criterion | None, settings: ModelSettings
) -> Carriers | None:
    """Look at every feature for one attribute; None where there is no score or no feature."""
    if model.score is None or not len(people.features.columns):
        return None
    rows = sampled(len(people), settings)[:: max(1, min(len(people), settings.rows) // _ROWS)]
    column = people.groups[attribute] if attribute in people.groups else people.numbers[attribute]
    target = as_target(column.iloc[rows].reset_index(drop=True))
    score = pd.Series(model.score[rows])
    frame = people.features.iloc[rows, :MOST_COLUMNS].reset_index(drop=True)
    frame = frame[[name for name in frame if name != attribute and frame[name].nunique() > 1]]
    if target.nunique() < 2 or score.nunique() < 2 or not len(frame.columns):
        return None
    shared = independence is not None and independence.answer == "found"
    whole = T(target, score, neighbours="auto")
    columns = {
        str(name): Carrier(
            T_attribute=T(target, frame[[name]], neighbours="auto"),
            T_score=T(score, frame[[name]], neighbours="auto"),
            gone=_gone(target, score, frame[[name]], whole) if shared and whole > 0 else None,
        )
        for name in frame
    }
    return Carriers(
        rows=len(rows), columns=columns, path_attribute=_path(frame, target), path_score=_path(frame, score)
    )


def _gone(target: pd.Series, score: pd.Series, column: pd.DataFrame, whole: float) -> float:
    """The share of T(S, R) that is not there any more given the column."""
    left = T(target, score, column, neighbours="auto", standardize="scale")
    return float(np.clip(1 - left / whole, 0.0, 1.0))


def _path(frame: pd.DataFrame, target: pd.Series) -> Path:
    chosen = FOCI(n_features=_STEPS).fit(frame, target)
    return Path(tuple(str(frame.columns[k]) for k in chosen.order_), tuple(float(value) for value in chosen.scores_))

"""Thresholds: who is selected when a score must reach one limit for all, or one for each group."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from diffoci.audit.decisions.grouping import group_by
from diffoci.inputs import Floats, Ints

Threshold = float | Mapping[str, float]


def select(
    score: ArrayLike, threshold: Threshold, *, sensitive: pd.DataFrame | None = None, by: str | None = None
) -> Ints:
    """Return 1 for everyone whose score is at least the threshold, else 0.

    Parameters
    ----------
    score : array of float
        Probability of the positive class.
    threshold : float or mapping from group to float
        One for all, or one for each group.
    sensitive : DataFrame, optional
        Sensitive attributes, needed when the threshold depends on the group.
    by : str, optional
        The attribute whose levels the mapping names. By default all attributes crossed ("female × Black").

    Examples
    --------
    >>> select([0.2, 0.5, 0.9], 0.5)
    array([0, 1, 1])
    >>> select([0.4, 0.4], {"f": 0.3, "m": 0.5}, sensitive=pd.DataFrame({"sex": ["f", "m"]}))
    array([1, 0])
    """
    scores = checked_score(score)
    if not isinstance(threshold, Mapping):
        return (scores >= threshold).astype(np.int64)
    if sensitive is None:
        raise ValueError("A threshold for each group needs the sensitive attributes; give them, or one threshold.")
    groups = group_by(sensitive, [by] if by is not None else list(sensitive.columns))
    for label in groups.labels:
        if label not in threshold:
            raise ValueError(f"There is no threshold for the group '{label}'; give one for every group.")
    limits = np.array([threshold[label] for label in groups.labels], dtype=np.float64)
    return (scores >= limits[groups.codes]).astype(np.int64)


def checked_score(score: ArrayLike) -> Floats:
    """Read probabilities, or say which is none."""
    scores = np.asarray(score, dtype=np.float64)
    outside = np.flatnonzero(~((scores >= 0) & (scores <= 1)))
    if len(outside):
        raise ValueError(f"Scores must be probabilities, but row {outside[0]} has {scores[outside[0]]}; rescale them.")
    return scores

"""Errors of a predicted quantity by group: how far off, in which direction, how often too high and too low."""

from __future__ import annotations

import numpy as np
from scipy import stats

from diffoci.audit.decisions.grouping import Grouping
from diffoci.audit.decisions.intervals import Interval, wilson_limits
from diffoci.inputs import Floats
from diffoci.model_audit.people import Model, People
from diffoci.model_audit.spec import ModelSettings


def errors_of(groups: Grouping, people: People, model: Model, settings: ModelSettings) -> list[dict[str, Interval]]:
    """Every group's mean error (prediction less label), mean absolute error, and shares predicted too high and too low.

    Nothing where the outcome is no quantity.
    """
    if model.score is None or people.outcome is None or people.outcome.kind != "number":
        return [{} for _ in range(len(groups))]
    error = model.score - people.outcome.values
    return [_errors(error[groups.codes == k], settings.confidence) for k in range(len(groups))]


def error_measures(error: Floats) -> dict[str, np.ndarray]:
    """What a measure is the mean of, person by person; of shares, who counts."""
    return {
        "mean_error": error,
        "mean_absolute_error": np.abs(error),
        "over_predicted": error > 0,
        "under_predicted": error < 0,
    }


ERROR_MEASURES = tuple(error_measures(np.zeros(1)))


def _errors(error: Floats, confidence: float) -> dict[str, Interval]:
    return {name: mean_of(values, confidence) for name, values in error_measures(error).items()}


def mean_of(values: np.ndarray, confidence: float) -> Interval:
    """A mean with Student's interval, or a share of people with Wilson's.

    >>> mean_of(np.array([True, False]), 0.95).value, mean_of(np.array([1.0, 2.0, 3.0]), 0.95).value
    (0.5, 2.0)
    """
    mean = float(values.mean())
    if values.dtype == bool:
        low, high = wilson_limits(int(values.sum()), len(values), confidence=confidence)
        return Interval(mean, float(low), float(high))
    if len(values) < 2:  # one value alone has no interval beyond itself
        return Interval(mean, mean, mean)
    reach = float(stats.t.ppf(0.5 + confidence / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - reach, mean + reach)

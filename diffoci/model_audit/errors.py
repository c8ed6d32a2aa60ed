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


def _errors(error: Floats, confidence: float) -> dict[str, Interval]:
    return {
        "mean_error": _mean(error, confidence),
        "mean_absolute_error": _mean(np.abs(error), confidence),
        "over_predicted": _share(error > 0, confidence),
        "under_predicted": _share(error < 0, confidence),
    }


def _mean(values: Floats, confidence: float) -> Interval:
    """With Student's interval; one value alone has none beyond itself."""
    mean = float(values.mean())
    if len(values) < 2:
        return Interval(mean, mean, mean)
    reach = float(stats.t.ppf(0.5 + confidence / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - reach, mean + reach)


def _share(inside: np.ndarray, confidence: float) -> Interval:
    low, high = wilson_limits(int(inside.sum()), len(inside), confidence=confidence)
    return Interval(float(inside.mean()), float(low), float(high))

"""The coefficients of two models on the same people: whether one departs less from a criterion by more than noise.

T of both models is known for the same halves of the same rows, so what the two have in common cancels in every half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from diffoci.audit.decisions.intervals import Interval
from diffoci.model_audit.criteria import ERROR_DEGREES, halves_error
from diffoci.model_audit.pairs import MOST_COMPARED
from diffoci.model_audit.result import Criterion, OneModel, PairedCriterion
from diffoci.model_audit.spec import ModelSettings


def paired_criteria(models: Sequence[OneModel], settings: ModelSettings) -> tuple[PairedCriterion, ...]:
    """Compare every two models by every coefficient that both have; it needs no rows, only T of their halves."""
    return tuple(
        pair
        for first, second in combinations(models[:MOST_COMPARED], 2)
        for attribute in first.attributes
        if attribute in second.attributes
        for pair in _of_attribute(first, second, attribute, settings)
    )


def _of_attribute(
    first: OneModel, second: OneModel, attribute: str, settings: ModelSettings
) -> Iterator[PairedCriterion]:
    after = second.attributes[attribute].criteria
    for name, before in first.attributes[attribute].criteria.items():
        if name in after and (found := _difference(before, after[name], settings)) is not None:
            yield PairedCriterion(
                first=first.name,
                second=second.name,
                attribute=attribute,
                criterion=name,
                T_first=before.T,
                T_second=after[name].T,
                difference=found[0],
                p_value=found[1],
            )


def _difference(first: Criterion, second: Criterion, settings: ModelSettings) -> tuple[Interval, float] | None:
    """The second T less the first, with its interval and p-value; None where T has no error."""
    if not first.halves or len(first.halves) != len(second.halves):
        return None
    from scipy.special import stdtr, stdtrit  # Student's t; takes a while to load

    value = second.T - first.T
    error = halves_error([(a[0] - b[0], a[1] - b[1]) for a, b in zip(second.halves, first.halves, strict=True)])
    if not error:  # two columns that say the same of everybody
        return (Interval(value, value, value), 1.0) if value == 0 else None
    reach = float(stdtrit(ERROR_DEGREES, 0.5 + settings.confidence / 2)) * error
    p_value = float(2 * stdtr(ERROR_DEGREES, -abs(value) / error))
    return Interval(value, value - reach, value + reach), float(np.clip(p_value, 0, 1))

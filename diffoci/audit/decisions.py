"""Decisions: who is selected at a threshold, how often and how rightly in each group, and how groups compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from diffoci.audit.disparities import Disparity, disparities
from diffoci.audit.four_fifths import GroupRatio, four_fifths
from diffoci.audit.group_rates import GroupRates, group_rates
from diffoci.audit.grouping import Grouping, group_by, groupings
from diffoci.audit.reliability import Reliability, reliability
from diffoci.audit.resampling import bootstrap_counts
from diffoci.audit.thresholds import Threshold, checked_score, select
from diffoci.inputs import Floats, Ints, check_lengths


@dataclass(frozen=True)
class DecisionSettings:
    """What decides intervals and who is judged; see `decide`."""

    minimum: int = 30
    bins: int = 10
    replicates: int = 2000
    seed: int = 0
    confidence: float = 0.95


@dataclass(frozen=True)
class GroupComparison:
    """Groups by one attribute, or by all attributes crossed, and how those large enough compare."""

    attributes: tuple[str, ...]
    groups: tuple[GroupRates, ...]
    between: tuple[Disparity, ...]
    four_fifths: tuple[GroupRatio, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "attributes": list(self.attributes),
            "groups": [group.to_dict() for group in self.groups],
            "not_judged": [group.label for group in self.groups if not group.judged],
            "between": {disparity.name: disparity.to_dict() for disparity in self.between},
            "four_fifths": [entry.to_dict() for entry in self.four_fifths],
        }


@dataclass(frozen=True)
class Decisions:
    """What was decided about everyone, and by each attribute and their intersection."""

    threshold: Threshold | None
    overall: GroupRates
    comparisons: tuple[GroupComparison, ...]
    settings: DecisionSettings

    def by(self, *attributes: str) -> GroupComparison:
        """Return the comparison by these attributes."""
        for comparison in self.comparisons:
            if comparison.attributes == attributes:
                return comparison
        known = ", ".join("+".join(comparison.attributes) for comparison in self.comparisons)
        raise KeyError(f"Groups were not compared by {'+'.join(attributes)}; choose from {known}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "threshold": dict(self.threshold) if isinstance(self.threshold, Mapping) else self.threshold,
            "overall": self.overall.to_dict(),
            "by": [comparison.to_dict() for comparison in self.comparisons],
            "settings": asdict(self.settings),
        }


def decide(
    y_true: ArrayLike,
    *,
    sensitive: pd.DataFrame,
    score: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    threshold: Threshold = 0.5,
    threshold_by: str | None = None,
    compare: Sequence[Sequence[str]] | None = None,
    minimum: int = 30,
    bins: int = 10,
    replicates: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Decisions:
    """Measure the decisions that a score makes at a threshold, or decisions already made.

    Parameters
    ----------
    y_true : array of 0 and 1
        The label.
    sensitive : DataFrame
        One column for each sensitive attribute; a missing value is the level "unknown".
    score : array of float, optional
        Probability of the positive class. Selected is whose score is at least the threshold.
    y_pred : array of 0 and 1, optional
        Decisions, instead of scores; there is no calibration then.
    threshold : float or mapping from group to float
        One for all, or one for each group.
    threshold_by : str, optional
        The attribute whose levels a mapping names; by default all attributes crossed.
    compare : sequence of sequences of str, optional
        What to group people by, each attributes to cross; by default every attribute alone and all crossed.
    minimum : int
        Groups of fewer people are listed and not judged.
    bins : int
        Bins of equal width for calibration.
    replicates, seed, confidence
        Bootstrap and shuffled labels: how many, from which seed; level of every interval.

    Examples
    --------
    >>> y, score = np.tile([0, 1], 100), np.repeat([0.2, 0.6], 100)
    >>> sex = pd.DataFrame({"sex": np.repeat(["f", "m"], 100)})
    >>> found = decide(y, score=score, sensitive=sex).by("sex")
    >>> [(group.label, group.rates["selection_rate"].value) for group in found.groups]
    [('f', 0.0), ('m', 1.0)]
    """
    if (score is None) == (y_pred is None):
        raise ValueError("Give either scores or decisions (y_pred), and not both.")
    label = _zeros_and_ones(y_true, name="y_true")
    given = np.asarray(y_pred if score is None else score)
    check_lengths(y_true=len(label), **{"y_pred" if score is None else "score": len(given)}, sensitive=len(sensitive))
    scores = None if score is None else checked_score(score)
    named = sensitive.set_axis([str(name) for name in sensitive.columns], axis="columns")
    if scores is None:
        decision = _zeros_and_ones(given, name="y_pred")
    else:
        decision = select(scores, threshold, sensitive=named, by=threshold_by)
    settings = DecisionSettings(minimum, bins, replicates, seed, confidence)
    everyone = Grouping((), ((),), np.zeros(len(label), dtype=np.int64))
    (overall,) = _rates(everyone, label, decision, scores, settings)
    wanted = groupings(named) if compare is None else [group_by(named, attributes) for attributes in compare]
    comparisons = tuple(_compare(groups, label, decision, scores, settings) for groups in wanted)
    return Decisions(threshold if y_pred is None else None, overall, comparisons, settings)


def _compare(
    groups: Grouping, label: Ints, decision: Ints, score: Floats | None, settings: DecisionSettings
) -> GroupComparison:
    rates = _rates(groups, label, decision, score, settings)
    judged = [k for k, group in enumerate(rates) if group.judged]
    counts, names = _counts(groups, label, decision)[judged], [groups.labels[k] for k in judged]
    between, ratios = compare_counts(counts, names, settings)
    return GroupComparison(attributes=groups.attributes, groups=rates, between=between, four_fifths=ratios)


def compare_counts(
    counts: Ints, names: Sequence[str], settings: DecisionSettings
) -> tuple[tuple[Disparity, ...], tuple[GroupRatio, ...]]:
    """Return how judged groups compare, from people by group, label and decision; the same counts, the same answer."""
    rng = np.random.default_rng(settings.seed)
    drawn = bootstrap_counts(counts, replicates=settings.replicates, rng=rng)
    between = disparities(counts, names, drawn=drawn, rng=rng, confidence=settings.confidence, minimum=settings.minimum)
    return between, four_fifths(counts, names, drawn=drawn, confidence=settings.confidence)


def _rates(
    groups: Grouping, label: Ints, decision: Ints, score: Floats | None, settings: DecisionSettings
) -> tuple[GroupRates, ...]:
    curves: list[Reliability] | list[None] = [None] * len(groups)
    if score is not None:
        curves = reliability(label, score, groups, bins=settings.bins, confidence=settings.confidence)
    counts = _counts(groups, label, decision)
    return tuple(
        group_rates(
            counts[k],
            label=name or "everyone",
            levels=dict(zip(groups.attributes, groups.levels[k], strict=True)),
            minimum=settings.minimum,
            confidence=settings.confidence,
            calibration=curves[k],
        )
        for k, name in enumerate(groups.labels)
    )


def _counts(groups: Grouping, label: Ints, decision: Ints) -> Ints:
    return groups.counts(label, decision, sizes=(2, 2))


def _zeros_and_ones(values: ArrayLike, *, name: str) -> Ints:
    numbers = np.asarray(values)
    wrong = np.flatnonzero(~np.isin(numbers, (0, 1)))
    if len(wrong):
        raise ValueError(f"{name} must be 0 or 1, but row {wrong[0]} has {numbers[wrong[0]]}; recode it.")
    return numbers.astype(np.int64)

"""Decisions: who is selected at a threshold, how often and how rightly in each group, and how groups compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from msgspec import Meta, field
from numpy.typing import ArrayLike

from diffoci.audit.decisions.disparities import Disparity, disparities
from diffoci.audit.decisions.four_fifths import GroupRatio, four_fifths
from diffoci.audit.decisions.group_rates import GroupRates, group_rates
from diffoci.audit.decisions.grouping import Grouping, group_by, groupings
from diffoci.audit.decisions.reliability import Reliability, reliability
from diffoci.audit.decisions.resampling import bootstrap_counts
from diffoci.audit.decisions.thresholds import Threshold, checked_score, select
from diffoci.audit.kinds import MOST_ATTRIBUTES, MOST_GROUPS, AttributeNames, Count, GroupNames, Share, Stored, Text
from diffoci.audit.verdicts import FEWEST_ROWS
from diffoci.inputs import Floats, Ints, check_lengths


class DecisionSettings(Stored, frozen=True):
    """What decides intervals and who is judged; see `decide`."""

    minimum: Count = FEWEST_ROWS
    bins: Count = 10
    replicates: Count = 2000
    seed: Count = 0
    confidence: Share = 0.95


class GroupComparison(Stored, frozen=True, kw_only=True):
    """Groups by one attribute, or by all attributes crossed, and how those large enough compare."""

    attributes: AttributeNames
    groups: Annotated[tuple[GroupRates, ...], Meta(max_length=MOST_GROUPS)]
    not_judged: GroupNames
    between: Annotated[dict[Text, Disparity], Meta(max_length=100)]
    four_fifths: Annotated[tuple[GroupRatio, ...], Meta(max_length=MOST_GROUPS)]


class Decisions(Stored, frozen=True, kw_only=True):
    """What was decided about everyone, and by each attribute and their intersection."""

    threshold: Share | dict[Text, Share] | None
    overall: GroupRates
    comparisons: Annotated[tuple[GroupComparison, ...], Meta(max_length=MOST_ATTRIBUTES)] = field(name="by")
    settings: DecisionSettings

    def by(self, *attributes: str) -> GroupComparison:
        """Return the comparison by these attributes."""
        for comparison in self.comparisons:
            if comparison.attributes == attributes:
                return comparison
        known = ", ".join("+".join(comparison.attributes) for comparison in self.comparisons)
        raise KeyError(f"Groups were not compared by {'+'.join(attributes)}; choose from {known}.")


@dataclass(frozen=True, eq=False)
class _People:
    """Everybody's label, score where there is one, decision and attributes, row by row."""

    label: Ints
    score: Floats | None
    decision: Ints
    sensitive: pd.DataFrame


def decide(
    y_true: ArrayLike,
    *,
    sensitive: pd.DataFrame,
    score: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    threshold: Threshold = 0.5,
    threshold_by: str | None = None,
    compare: Sequence[Sequence[str]] | None = None,
    minimum: int = FEWEST_ROWS,
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
        Probability of the positive class. A score of at least the threshold is selected.
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
    people = _read(y_true, sensitive, score=score, y_pred=y_pred, threshold=threshold, threshold_by=threshold_by)
    settings = DecisionSettings(minimum, bins, replicates, seed, confidence)
    everyone = Grouping((), ((),), np.zeros(len(people.label), dtype=np.int64))
    (overall,) = _rates(everyone, people, settings)
    named = people.sensitive
    wanted = groupings(named) if compare is None else [group_by(named, attributes) for attributes in compare]
    return Decisions(
        threshold=None if score is None else _plain(threshold),
        overall=overall,
        comparisons=tuple(_compare(groups, people, settings) for groups in wanted),
        settings=settings,
    )


def _read(
    y_true: ArrayLike,
    sensitive: pd.DataFrame,
    *,
    score: ArrayLike | None,
    y_pred: ArrayLike | None,
    threshold: Threshold,
    threshold_by: str | None,
) -> _People:
    """Everybody checked, and decided about where only scores were given."""
    if (score is None) == (y_pred is None):
        raise ValueError("Give either scores or decisions (y_pred), and not both.")
    label = _zeros_and_ones(y_true, name="y_true")
    given = np.asarray(y_pred if score is None else score)
    check_lengths(y_true=len(label), **{"y_pred" if score is None else "score": len(given)}, sensitive=len(sensitive))
    named = sensitive.set_axis([str(name) for name in sensitive.columns], axis="columns")
    if score is None:
        return _People(label, None, _zeros_and_ones(given, name="y_pred"), named)
    scores = checked_score(score)
    return _People(label, scores, select(scores, threshold, sensitive=named, by=threshold_by), named)


def _plain(threshold: Threshold) -> float | dict[str, float]:
    return dict(threshold) if isinstance(threshold, Mapping) else threshold


def _compare(groups: Grouping, people: _People, settings: DecisionSettings) -> GroupComparison:
    rates = _rates(groups, people, settings)
    judged = [k for k, group in enumerate(rates) if group.judged]
    counts, names = _counts(groups, people)[judged], [groups.labels[k] for k in judged]
    between, ratios = compare_counts(counts, names, settings)
    return GroupComparison(
        attributes=groups.attributes,
        groups=rates,
        not_judged=tuple(group.label for group in rates if not group.judged),
        between=between,
        four_fifths=ratios,
    )


def compare_counts(
    counts: Ints, names: Sequence[str], settings: DecisionSettings
) -> tuple[dict[str, Disparity], tuple[GroupRatio, ...]]:
    """Return how judged groups compare, from people by group, label and decision; the same counts, the same answer."""
    rng = np.random.default_rng(settings.seed)
    drawn = bootstrap_counts(counts, replicates=settings.replicates, rng=rng)
    between = disparities(counts, names, drawn=drawn, rng=rng, confidence=settings.confidence, minimum=settings.minimum)
    return between, four_fifths(counts, names, drawn=drawn, confidence=settings.confidence)


def _rates(groups: Grouping, people: _People, settings: DecisionSettings) -> tuple[GroupRates, ...]:
    curves: list[Reliability] | list[None] = [None] * len(groups)
    if people.score is not None:
        curves = reliability(people.label, people.score, groups, bins=settings.bins, confidence=settings.confidence)
    counts = _counts(groups, people)
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


def _counts(groups: Grouping, people: _People) -> Ints:
    return groups.counts(people.label, people.decision, sizes=(2, 2))


def _zeros_and_ones(values: ArrayLike, *, name: str) -> Ints:
    numbers = np.asarray(values)
    wrong = np.flatnonzero(~np.isin(numbers, (0, 1)))
    if len(wrong):
        raise ValueError(f"{name} must be 0 or 1, but row {wrong[0]} has {numbers[wrong[0]]}; recode it.")
    return numbers.astype(np.int64)

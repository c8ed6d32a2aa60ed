"""The result of a model audit: what `result.json` holds, declared once."""

from __future__ import annotations

from typing import Annotated, Literal

import pandas as pd
from msgspec import Meta, field

from diffoci.audit.decisions.any_threshold import ScoreCeiling
from diffoci.audit.decisions.disparities import Disparity
from diffoci.audit.decisions.four_fifths import GroupRatio
from diffoci.audit.decisions.intervals import Interval, Rate
from diffoci.audit.decisions.local_law_144 import ImpactTables
from diffoci.audit.decisions.weighting import Weighted, WeightedGap
from diffoci.audit.kinds import (
    MOST_ATTRIBUTES,
    MOST_FEATURES,
    MOST_GROUPS,
    AttributeNames,
    Count,
    Names,
    Number,
    Positive,
    Share,
    Stored,
    Text,
)
from diffoci.audit.result import Path, Provenance
from diffoci.model_audit.spec import ModelAuditSpec
from diffoci.runs.study import Result

Scale = Literal["probability", "plain", "quantity"]
Basis = Literal["recorded", "threshold", "half", "none"]
LabelKind = Literal["classes", "number"]
CriterionName = Literal["independence", "separation", "sufficiency", "given_factors"]
Found = Literal["found", "not found", "too few people"]
Counts = tuple[tuple[Count, Count], tuple[Count, Count]]
MOST_MODELS = 50


class ScoreBin(Stored, frozen=True):
    """People of one group whose scores lie from `low` to `high`: their mean score, and how often it happened."""

    low: Number
    high: Number
    mean_score: Number
    observed: Rate


class ModelGroup(Stored, frozen=True, kw_only=True):
    """What a model does with one group.

    `counts` are people by outcome and decision, those without first; without an outcome all stand in the first row.
    `rates` and `errors` have what can be counted, by name; all are empty where the group is too small to be judged.
    """

    label: Text
    levels: dict[Text, Text]
    n: Count
    judged: bool
    note: Text
    counts: Counts | None = None
    rates: dict[Text, Rate] = field(default_factory=dict)
    weighted: dict[Text, Weighted] = field(default_factory=dict)
    auc: Interval | None = None
    errors: dict[Text, Interval] = field(default_factory=dict)
    calibration: Annotated[tuple[ScoreBin, ...], Meta(max_length=1000)] = ()


class Against(Stored, frozen=True, kw_only=True):
    """One rate of a group less that of the reference, and divided by it, with intervals that hold for all groups."""

    rate: Text
    group: Text
    reference: Text
    difference: Interval
    ratio: Interval | None


class ModelComparison(Stored, frozen=True, kw_only=True):
    """Groups by one attribute, or by all of them crossed, and how those large enough compare.

    `weighted` are gaps of the population, where rows have weights.
    """

    attributes: AttributeNames
    groups: Annotated[tuple[ModelGroup, ...], Meta(max_length=MOST_GROUPS)]
    between: Annotated[dict[Text, Disparity], Meta(max_length=100)]
    four_fifths: Annotated[tuple[GroupRatio, ...], Meta(max_length=MOST_GROUPS)]
    against: Annotated[tuple[Against, ...], Meta(max_length=MOST_GROUPS)]
    weighted: Annotated[tuple[WeightedGap, ...], Meta(max_length=MOST_GROUPS)] = ()

    @property
    def judged(self) -> tuple[ModelGroup, ...]:
        """The groups large enough to be compared."""
        return tuple(group for group in self.groups if group.judged)


class Criterion(Stored, frozen=True, kw_only=True):
    """A coefficient that is 0 where the criterion holds, and what shuffling gives.

    `limit` is what 19 in 20 shuffles keep below; None where nothing can be shuffled. `strata` says within how many
    classes or bins rows were shuffled, 1 where among all. `p_value` is that of the larger evidence of T and of ranks.
    `error` is the standard error of T, by `halves` of the rows: T of both parts of every cut, the same cuts for every
    model, so that two models can be compared in pairs. None where a half has too few people for a T.
    """

    T: Number
    rows: Count
    neighbours: Count
    strata: Count
    median: Number | None
    limit: Number | None
    p_value: Share | None
    answer: Found
    error: Positive | None = None
    halves: Annotated[tuple[tuple[Number, Number], ...], Meta(max_length=100)] = ()


class Stratum(Stored, frozen=True):
    """One stratum of the factors: how often each of two groups is selected there."""

    name: Text
    group: Rate
    reference: Rate


class StandardisedGap(Stored, frozen=True, kw_only=True):
    """How much more often a group is selected than the reference, raw and within strata of the factors.

    `standardised` is the mean of the gaps within strata, each counted by its people. `left_out` are strata with too
    few people of either group, `people_left_out` those in them.
    """

    group: Text
    reference: Text
    raw: Interval
    standardised: Interval | None
    strata: Annotated[tuple[Stratum, ...], Meta(max_length=10_000)]
    left_out: Count
    people_left_out: Count


class CurvePoint(Stored, frozen=True):
    """A rate, or the mean of an error, among the people nearest to a value of the attribute."""

    at: Number
    value: Number
    low: Number
    high: Number
    people: Count


class WorstStretch(Stored, frozen=True, kw_only=True):
    """The stretch of the attribute where the rate differs most from elsewhere, tested for having been looked for.

    `people` are those inside it.
    """

    low: Number
    high: Number
    inside: Interval
    outside: Interval
    people: Count
    p_value: Share


class Curve(Stored, frozen=True, kw_only=True):
    """One rate, or one error of a predicted quantity, along a continuous attribute."""

    rate: Text
    points: Annotated[tuple[CurvePoint, ...], Meta(max_length=1000)]
    worst: WorstStretch | None


class Carrier(Stored, frozen=True, kw_only=True):
    """What one column tells of the attribute and of the score, and how much of their dependence goes with it.

    `gone` is None where the score says nothing about the attribute, so that nothing can go.
    """

    T_attribute: Number
    T_score: Number
    gone: Share | None


class Carriers(Stored, frozen=True, kw_only=True):
    """Every column for one attribute, and the columns that FOCI chooses for the attribute and for the score."""

    rows: Count
    columns: Annotated[dict[Text, Carrier], Meta(max_length=MOST_FEATURES)]
    path_attribute: Path
    path_score: Path


class GroupThreshold(Stored, frozen=True, kw_only=True):
    """A group's thresholds: whoever reaches the higher is selected, between the two by lot with this `share`.

    `by_lot` is the share of people about whom a lot decides whatever their score, which selects them with the chance of
    the false positive rate: a group whose score tells more must be decided about less well to have the others' rates.
    """

    group: Text
    high: Number | None
    low: Number | None
    share: Share
    by_lot: Share = 0.0
    selection_rate: Share
    true_positive_rate: Share | None
    false_positive_rate: Share | None


class WhatIf(Stored, frozen=True, kw_only=True):
    """Thresholds of their own for every group, and what they would change. `accuracy` is None without an outcome."""

    goal: Literal["selection", "true_positive_rate", "both", "levelling_up"]
    groups: Annotated[tuple[GroupThreshold, ...], Meta(max_length=MOST_GROUPS)]
    accuracy: Share | None
    accuracy_now: Share | None
    newly_selected: Count
    no_longer_selected: Count


class OfAttribute(Stored, frozen=True, kw_only=True):
    """Everything about one model and one attribute that needs no threshold, and what could be done."""

    criteria: dict[CriterionName, Criterion]
    ceilings: Annotated[tuple[ScoreCeiling, ...], Meta(max_length=10_000)] = ()
    gaps: Annotated[tuple[StandardisedGap, ...], Meta(max_length=MOST_GROUPS)] = ()
    curves: Annotated[tuple[Curve, ...], Meta(max_length=10)] = ()
    carriers: Carriers | None = None
    what_if: Annotated[tuple[WhatIf, ...], Meta(max_length=10)] = ()


class OneModel(Stored, frozen=True, kw_only=True):
    """One model: its columns, how it decides, its rates by group, and what holds for every attribute."""

    name: Text
    score: Text | None
    decision: Text | None
    scale: Scale | None
    basis: Basis
    threshold: Number | None
    overall: ModelGroup
    comparisons: Annotated[tuple[ModelComparison, ...], Meta(max_length=MOST_ATTRIBUTES + 1)]
    attributes: Annotated[dict[Text, OfAttribute], Meta(max_length=MOST_ATTRIBUTES)]
    law: Annotated[tuple[ImpactTables, ...], Meta(max_length=2)]

    def by(self, *attributes: str) -> ModelComparison:
        """Return the comparison by these attributes."""
        for comparison in self.comparisons:
            if comparison.attributes == attributes:
                return comparison
        known = ", ".join("+".join(comparison.attributes) for comparison in self.comparisons) or "none"
        raise KeyError(f"Groups were not compared by {'+'.join(attributes)}; choose from {known}.")


class PairedGap(Stored, frozen=True, kw_only=True):
    """The gap between groups under a second model less that under a first, on the same people.

    `p_value` is that of this difference alone; `judge_pairs` says what holds among all of them.
    """

    first: Text
    second: Text
    attributes: AttributeNames
    rate: Text
    gap_first: Share
    gap_second: Share
    difference: Interval
    p_value: Share


class PairedCriterion(Stored, frozen=True, kw_only=True):
    """T of one criterion under a second model less that under a first, on the same people and the same halves of them.

    `p_value` is that of this difference alone; `judge_pairs` says what holds among all of them.
    """

    first: Text
    second: Text
    attribute: Text
    criterion: CriterionName
    T_first: Number
    T_second: Number
    difference: Interval
    p_value: Share


class OutcomeAbout(Stored, frozen=True, kw_only=True):
    """The outcome: its name, whether it is yes or no or a quantity, what counts as yes, and how often it happens."""

    name: Text
    kind: LabelKind
    positive: Text | None
    mean: Number


class ModelAuditResult(Result, frozen=True, kw_only=True, omit_defaults=True):
    """Everything a model audit found. `cannot` lists what cannot be said of these columns, and why."""

    schema: Literal[1]
    study: Literal["model-audit"]
    id: Text
    spec: ModelAuditSpec
    provenance: Provenance
    outcome: OutcomeAbout | None
    groups: Annotated[dict[Text, dict[Text, Count]], Meta(max_length=MOST_ATTRIBUTES)]
    continuous: AttributeNames
    models: Annotated[tuple[OneModel, ...], Meta(min_length=1, max_length=MOST_MODELS)]
    pairs: Annotated[tuple[PairedGap, ...], Meta(max_length=100_000)]
    cannot: Names
    paired_criteria: Annotated[tuple[PairedCriterion, ...], Meta(max_length=100_000)] = ()
    failures: Annotated[dict[Text, Text], Meta(max_length=1_000_000)] = field(default_factory=dict)

    def model(self, name: str | None = None) -> OneModel:
        """One model by its name, or the first."""
        for one in self.models:
            if name in (None, one.name):
                return one
        raise KeyError(f"There is no model {name!r}; choose from {', '.join(one.name for one in self.models)}.")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of all attributes."""
        return (*self.groups, *self.continuous)

    def to_frame(self) -> pd.DataFrame:
        """One row for each model, grouping, group and rate, with its interval."""
        rows = [
            {
                "model": one.name,
                "by": " × ".join(comparison.attributes) or "everyone",
                "group": group.label,
                "people": group.n,
                "measure": name,
                "value": found.value,
                "low": found.low,
                "high": found.high,
            }
            for one in self.models
            for comparison in (_everyone(one), *one.comparisons)
            for group in comparison.groups
            for name, found in _measures(group).items()
        ]
        return pd.DataFrame(rows, columns=["model", "by", "group", "people", "measure", "value", "low", "high"])

    def criteria_frame(self) -> pd.DataFrame:
        """One row for each model, attribute and criterion: T, what shuffling gives, p-value, answer."""
        rows = [
            {
                "model": one.name,
                "attribute": attribute,
                "criterion": name,
                "T": found.T,
                "shuffled_limit": found.limit,
                "p_value": found.p_value,
                "answer": found.answer,
            }
            for one in self.models
            for attribute, about in one.attributes.items()
            for name, found in about.criteria.items()
        ]
        return pd.DataFrame(
            rows, columns=["model", "attribute", "criterion", "T", "shuffled_limit", "p_value", "answer"]
        )


def _everyone(one: OneModel) -> ModelComparison:
    return ModelComparison(attributes=(), groups=(one.overall,), between={}, four_fifths=(), against=())


def _measures(group: ModelGroup) -> dict[str, Rate | Interval | Weighted]:
    measures: dict[str, Rate | Interval | Weighted] = {**group.rates, **group.errors}
    measures |= {f"weighted_{name}": found for name, found in group.weighted.items()}
    return measures if group.auc is None else {**measures, "auc": group.auc}

"""Two model audits side by side: what changed for groups under the models they share, and whether it is noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

from msgspec import Struct

from diffoci.audit.decisions.intervals import Rate
from diffoci.audit.noise import (
    Difference,
    Estimate,
    Judgement,
    judge_all,
    normal_difference,
    share_difference,
    share_variance,
    unpaired_difference,
)
from diffoci.audit.two_audits.changes import Change
from diffoci.model_audit.criteria import ERROR_DEGREES
from diffoci.model_audit.result import Criterion, CriterionName, ModelAuditResult, ModelComparison, ModelGroup, OneModel

RATES = ("selection_rate", "true_positive_rate", "false_positive_rate", "base_rate")
GAPS = RATES[:3]
ERRORS = ("mean_error", "mean_absolute_error")
Models = tuple[str, str]


class GroupChange(Struct, frozen=True, kw_only=True):
    """One rate or error of one group in both audits, or how much it exceeds that of the reference, where there is one.

    `models` are what the model is called in either audit.
    """

    models: Models
    attributes: tuple[str, ...]
    group: str
    reference: str | None = None
    measure: str
    change: Change


class CriterionChange(Struct, frozen=True, kw_only=True):
    """One criterion of a score in both audits, and whether its coefficient changed by more than noise."""

    models: Models
    attribute: str
    name: CriterionName
    first: Criterion
    second: Criterion
    change: Change


class TwoModelAudits(Struct, frozen=True, kw_only=True):
    """What two model audits have in common, compared.

    `same_rows`: the very same people with the same scores and outcomes, so that only what was asked can differ.
    `not_shared` are groups that one of the audits has not, or has too few people of. `outcomes` names what happened, in
    either audit; where these differ, so do the questions.
    """

    outcomes: tuple[str, str]
    models: tuple[Models, ...]
    gaps: tuple[GroupChange, ...]
    groups: tuple[GroupChange, ...]
    criteria: tuple[CriterionChange, ...]
    not_shared: tuple[str, ...]
    same_rows: bool
    comparisons: int


def compare_model_audits(first: ModelAuditResult, second: ModelAuditResult) -> TwoModelAudits:
    """Compare the models of the same name, or else those of the same rank, for the attributes both audits have.

    Raises
    ------
    ValueError
        With a sentence, where they share no attribute.
    """
    if not set(first.sensitive) & set(second.sensitive):
        raise ValueError("These audits have no attribute in common, so there is nothing to compare.")
    pairs = model_pairs(first, second)
    reaches = _reach(first), _reach(second)
    looked = [entry for one, two in pairs for entry in _of_models(one, two, reaches)]
    # How often a group has the outcome does not depend on the model.
    looked = [entry for entry in looked if entry.measure != "base_rate" or entry.models == looked[0].models]
    told = [entry for one, two in pairs for entry in _criteria(one, two)]
    differences = [*(entry.difference for entry in looked), *(entry.difference for entry in told)]
    judgements = judge_all(dict(enumerate(differences)))
    changes = [
        GroupChange(
            models=entry.models,
            attributes=entry.attributes,
            group=entry.group,
            reference=entry.reference,
            measure=entry.measure,
            change=Change(entry.first, entry.second, entry.difference, judgements[k]),
        )
        for k, entry in enumerate(looked)
    ]
    return TwoModelAudits(
        outcomes=(_outcome(first), _outcome(second)),
        models=tuple((one.name, two.name) for one, two in pairs),
        gaps=tuple(entry for entry in changes if entry.reference is not None),
        groups=tuple(entry for entry in changes if entry.reference is None),
        criteria=tuple(_judged(entry, judgements[len(looked) + k]) for k, entry in enumerate(told)),
        not_shared=tuple(_not_shared(*pairs[0])),
        same_rows=first.provenance.sha256 == second.provenance.sha256,
        comparisons=len(differences),
    )


def _outcome(result: ModelAuditResult) -> str:
    if result.outcome is None:
        return "none"
    name, positive = result.outcome.name, result.outcome.positive
    return name if positive is None else f"{name} ({positive})"


def model_pairs(first: ModelAuditResult, second: ModelAuditResult) -> list[tuple[OneModel, OneModel]]:
    """Models of the same name; where there are none, the first with the first, and so on."""
    named = {one.name: one for one in second.models}
    common = [(one, named[one.name]) for one in first.models if one.name in named]
    return common or list(zip(first.models, second.models, strict=False))


@dataclass(frozen=True, kw_only=True)
class _Looked:
    models: Models
    attributes: tuple[str, ...]
    group: str
    reference: str | None = None
    measure: str
    first: float
    second: float
    difference: Difference


def _shared(one: OneModel, two: OneModel) -> Iterator[tuple[ModelComparison, ModelComparison]]:
    other = {comparison.attributes: comparison for comparison in two.comparisons}
    for comparison in one.comparisons:
        if comparison.attributes in other:
            yield comparison, other[comparison.attributes]


def _of_models(one: OneModel, two: OneModel, reaches: tuple[float, float]) -> Iterator[_Looked]:
    models = one.name, two.name
    for before, after in _shared(one, two):
        groups = {group.label: group for group in after.judged}
        both = [(group, groups[group.label]) for group in before.judged if group.label in groups]
        yield from _gaps(models, before.attributes, both)
        for here, there in both:
            yield from _rates(models, before.attributes, here, there)
            yield from _errors(models, before.attributes, here, there, reaches)


def _rates(models: Models, attributes: tuple[str, ...], here: ModelGroup, there: ModelGroup) -> Iterator[_Looked]:
    for name in RATES:
        if (a := here.rates.get(name)) is not None and (b := there.rates.get(name)) is not None:
            yield _Looked(
                models=models, attributes=attributes, group=here.label, measure=name, first=a.value, second=b.value,
                difference=share_difference((a.value, a.n), (b.value, b.n)),
            )  # fmt: skip


def _errors(
    models: Models, attributes: tuple[str, ...], here: ModelGroup, there: ModelGroup, reaches: tuple[float, float]
) -> Iterator[_Looked]:
    for name in ERRORS:
        if (a := here.errors.get(name)) is None or (b := there.errors.get(name)) is None:
            continue
        error = sum(((c.high - c.low) / 2 / reach) ** 2 for c, reach in zip((a, b), reaches, strict=True)) ** 0.5
        value = b.value - a.value
        yield _Looked(
            models=models, attributes=attributes, group=here.label, measure=name, first=a.value, second=b.value,
            difference=Difference(value) if error == 0 else normal_difference(value, error),
        )  # fmt: skip


def _reach(result: ModelAuditResult) -> float:
    """How many standard errors an interval of the audit reaches to either side."""
    return NormalDist().inv_cdf(0.5 + result.spec.settings.confidence / 2)


def _gaps(models: Models, attributes: tuple[str, ...], both: list[tuple[ModelGroup, ModelGroup]]) -> Iterator[_Looked]:
    """Every group less the largest: a pair that is picked by its size would seem to close by itself."""
    if len(both) < 2:
        return
    reference = max(both, key=lambda pair: pair[0].n + pair[1].n)
    for pair in both:
        if pair is reference:
            continue
        for name in GAPS:
            shares = [side.rates.get(name) for side in (*pair, *reference)]
            a, b, c, d = shares
            if a is None or b is None or c is None or d is None:
                continue
            error = sum(map(_variance, (a, b, c, d))) ** 0.5
            before, after = a.value - c.value, b.value - d.value
            yield _Looked(
                models=models, attributes=attributes, group=pair[0].label, reference=reference[0].label, measure=name,
                first=before, second=after, difference=normal_difference(after - before, error),
            )  # fmt: skip


def _variance(found: Rate) -> float:
    return share_variance(found.value, found.n)


@dataclass(frozen=True, kw_only=True)
class _Told:
    models: Models
    attribute: str
    name: CriterionName
    first: Criterion
    second: Criterion

    @property
    def difference(self) -> Difference:
        """Not known where T has no error, or where all halves of the rows have the very same T."""
        one, two = self.first, self.second
        if not one.error or not two.error:
            return Difference(two.T - one.T)
        first, second = (Estimate(side.T, (side.error or 0.0) ** 2, 0.0, ERROR_DEGREES) for side in (one, two))
        return unpaired_difference(first, second)


def _criteria(one: OneModel, two: OneModel) -> Iterator[_Told]:
    for attribute, about in one.attributes.items():
        other = two.attributes.get(attribute)
        for name, found in about.criteria.items():
            if other is not None and (after := other.criteria.get(name)) is not None:
                yield _Told(models=(one.name, two.name), attribute=attribute, name=name, first=found, second=after)


def _judged(told: _Told, judgement: Judgement) -> CriterionChange:
    return CriterionChange(
        models=told.models,
        attribute=told.attribute,
        name=told.name,
        first=told.first,
        second=told.second,
        change=Change(told.first.T, told.second.T, told.difference, judgement),
    )


def _not_shared(one: OneModel, two: OneModel) -> Iterator[str]:
    for before, after in _shared(one, two):
        judged = [{group.label for group in side.judged} for side in (before, after)]
        known = dict.fromkeys(group.label for side in (before, after) for group in side.groups)
        yield from (name for name in known if not (name in judged[0] and name in judged[1]))

"""Put a model audit together: the parts of one model, what compares models, and what cannot be said."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from diffoci.audit.decisions.any_threshold import ScoreCeiling, score_ceilings
from diffoci.audit.decisions.local_law_144 import ImpactTables, law_columns, local_law_144
from diffoci.audit.result import Provenance
from diffoci.model_audit.cannot_say import cannot_say
from diffoci.model_audit.carriers import carriers
from diffoci.model_audit.criteria import coefficients_again, criteria
from diffoci.model_audit.curves import curves
from diffoci.model_audit.factors import standardised_gaps
from diffoci.model_audit.paired_criteria import paired_criteria
from diffoci.model_audit.pairs import paired_gaps
from diffoci.model_audit.people import Decided, Model, Outcome, People, decided
from diffoci.model_audit.rates import comparisons, everyone
from diffoci.model_audit.result import (
    Criterion,
    CriterionName,
    ModelAuditResult,
    OfAttribute,
    OneModel,
    OutcomeAbout,
    PairedGap,
)
from diffoci.model_audit.spec import ModelAuditSpec, ModelSettings
from diffoci.model_audit.what_if import what_if
from diffoci.runs.provenance import versions
from diffoci.runs.study import Failures, Made


def rates_of(people: People, model: Model, settings: ModelSettings) -> OneModel:
    """One model's rates by group, without what holds for single attributes."""
    decision = decided(model, settings)
    return OneModel(
        name=model.name,
        score=model.score_name,
        decision=model.decision_name,
        scale=model.scale,
        basis=decision.basis,
        threshold=decision.threshold,
        overall=everyone(people, model, decision, settings),
        comparisons=comparisons(people, model, decision, settings),
        attributes={},
        law=law_tables(people, model, decision),
    )


def of_attribute(
    people: People,
    model: Model,
    attribute: str,
    settings: ModelSettings,
    *,
    believed: Mapping[CriterionName, Criterion] | None = None,
) -> OfAttribute:
    """What holds of one model and one attribute; nothing is shuffled for criteria whose shuffles are believed."""
    decision = decided(model, settings)
    if believed is None:
        found = criteria(people, model, decision, attribute, settings)
    else:
        found = coefficients_again(people, model, decision, attribute, settings, believed)
    return OfAttribute(
        criteria=found,
        ceilings=_ceilings(people, model, attribute, settings),
        gaps=standardised_gaps(people, decision, attribute, settings),
        curves=curves(people, model, decision, attribute, settings),
        carriers=carriers(people, model, attribute, found.get("independence"), settings),
        what_if=what_if(people, model, decision, attribute, settings),
    )


def pairs_of(people: People, settings: ModelSettings) -> tuple[PairedGap, ...]:
    """Every two models compared on the same people."""
    return paired_gaps(people, {one.name: decided(one, settings) for one in people.models}, settings)


def law_tables(people: People, model: Model, decision: Decided) -> tuple[ImpactTables, ...]:
    """Local Law 144's tables, of selections and of scores, where attributes are called as the law asks."""
    sex, race = law_columns(people.groups)
    if sex is None and race is None:
        return ()
    tables = []
    if decision.selected is not None:
        tables.append(local_law_144(people.groups, selected=decision.selected, sex=sex, race=race))
    if model.score is not None:
        tables.append(local_law_144(people.groups, score=model.score, sex=sex, race=race))
    return tuple(tables)


def put_together(
    spec: ModelAuditSpec,
    people: People,
    models: Sequence[OneModel],
    pairs: Sequence[PairedGap],
    failures: Failures,
    made: Made,
) -> ModelAuditResult:
    """The whole result."""
    about, outcome = people.about, _about(people.outcome)
    return ModelAuditResult(
        schema=1,
        study="model-audit",
        id="",
        spec=spec,
        provenance=Provenance(
            sha256=people.sha256,
            rows=len(people),
            real=about.real,
            name=about.name,
            title=about.title,
            source=about.source,
            licence=about.licence,
            citation=about.citation,
            notes=about.notes,
            versions=dict(made.versions),
            device=made.device,
            seconds=made.seconds,
        ),
        outcome=outcome,
        groups={
            str(name): {str(level): int(count) for level, count in people.groups[name].value_counts(sort=False).items()}
            for name in people.groups
        },
        continuous=tuple(map(str, people.numbers.columns)),
        models=tuple(models),
        pairs=tuple(pairs),
        paired_criteria=paired_criteria(models, spec.settings),
        cannot=cannot_say(outcome, models, attributes=len(people.groups.columns)),
        failures=dict(failures),
    )


def _about(outcome: Outcome | None) -> OutcomeAbout | None:
    if outcome is None:
        return None
    mean = float(outcome.values.mean())
    return OutcomeAbout(name=outcome.name, kind=outcome.kind, positive=outcome.positive, mean=mean)


def audit_people(spec: ModelAuditSpec, people: People) -> ModelAuditResult:
    """Compute everything in this process."""
    begun, settings = time.perf_counter(), spec.settings
    models = [
        replace(
            rates_of(people, model, settings),
            attributes={name: of_attribute(people, model, name, settings) for name in people.attributes},
        )
        for model in people.models
    ]
    pairs = pairs_of(people, settings)
    made = Made(versions(), "cpu", round(time.perf_counter() - begun, 1))
    return put_together(spec, people, models, pairs, {}, made)


def audit_unshuffled(stated: ModelAuditResult, people: People) -> ModelAuditResult:
    """A result computed again from its people, but for what shuffling gave its coefficients, which is believed."""
    settings, models = stated.spec.settings, []
    for model in people.models:
        known = next((one.attributes for one in stated.models if one.name == model.name), {})
        found = {
            name: of_attribute(people, model, name, settings, believed=known[name].criteria)
            for name in people.attributes
            if name in known
        }
        models.append(replace(rates_of(people, model, settings), attributes=found))
    made = Made({}, "cpu", 0.0)
    return put_together(stated.spec, people, models, pairs_of(people, settings), stated.failures, made)


def _ceilings(people: People, model: Model, attribute: str, settings: ModelSettings) -> tuple[ScoreCeiling, ...]:
    """Bound the gap in being selected over all thresholds at once, for every pair of judged groups."""
    if model.score is None or attribute not in people.groups:
        return ()
    values, place = model.values
    groups = people.grouped((attribute,))
    return score_ceilings(values, place, groups, minimum=settings.minimum, confidence=settings.confidence)

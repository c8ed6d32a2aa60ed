"""Work a model audit's own arithmetic out again: groups, rates, gaps, answers and tables from people and shuffles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from msgspec.structs import replace

from diffoci.audit.certificates.ceiling import MOST_PAIRED, REST, slack
from diffoci.audit.decisions.grouping import CROSS
from diffoci.audit.decisions.intervals import Interval, Rate, rate
from diffoci.audit.decisions.local_law_144 import Counted, counted_again, law_columns
from diffoci.model_audit.criteria import answer_of, halves_error
from diffoci.model_audit.curves import SHUFFLES
from diffoci.model_audit.factors import FEWEST_IN_STRATUM, MOST_SHOWN, gap_of, standardised_gap
from diffoci.model_audit.paired_criteria import paired_criteria
from diffoci.model_audit.pairs import COMPARED, MOST_COMPARED, spread
from diffoci.model_audit.rate_names import MODEL_RATES, allowed_rates
from diffoci.model_audit.rates import area_interval, compare_judged, rates_from_counts, small_note
from diffoci.model_audit.result import (
    Criterion,
    Curve,
    ModelAuditResult,
    ModelComparison,
    ModelGroup,
    OneModel,
    StandardisedGap,
)
from diffoci.model_audit.spec import ModelSettings
from diffoci.report.checks.agreement import Pair
from diffoci.report.checks.shuffled import of_shuffles
from diffoci.report.checks.whole_model_audit import whole_model


def model_pairs(result: ModelAuditResult) -> Iterator[Pair]:
    """What a result states beside what follows from its own counts and specification, with where it stands."""
    yield from whole_model(result)
    names, rows = list(result.groups), result.provenance.rows
    groupings = [(name,) for name in names] + ([tuple(names)] if len(names) > 1 else [])
    for attribute, levels in result.groups.items():
        yield f"rows by {attribute}", rows, sum(levels.values())
    if result.outcome is not None and result.outcome.kind == "classes" and result.models[0].overall.counts is not None:
        yield "how often the outcome happens", result.outcome.mean, sum(result.models[0].overall.counts[1]) / rows
    for one in result.models:
        yield f"{one.name} › everyone", one.overall.n, rows
        yield f"{one.name} › compared by", [by.attributes for by in one.comparisons], groupings
        missing = set(result.sensitive) - set(one.attributes)
        yield f"{one.name} › attributes left out", len(missing) <= len(result.failures), True
        yield from _deciding(one, result.spec.settings)
        yield from _groups(one, result)
        yield from _law(one, names)
        for attribute, about in one.attributes.items():
            for name, criterion in about.criteria.items():
                yield from _answered(criterion, result.spec.settings, f"{one.name}: {name} by {attribute}")
            for gap in about.gaps:
                yield from _standardised(gap, one.by(attribute), result.spec.settings, f"{one.name} by {attribute}")
            for curve in about.curves:
                yield from _along(curve, result.spec.settings.confidence, f"{one.name} along {attribute}")
            if attribute in result.groups:
                yield from _ceilings(one, attribute, result.spec.settings)
    if not result.failures:
        yield from _paired(result, groupings)
    again = paired_criteria(result.models, result.spec.settings)
    yield "coefficients of two models", result.paired_criteria, again


def _deciding(one: OneModel, settings: ModelSettings) -> Iterator[Pair]:
    """What decides who is selected; where half of a plain score does, where its middle lies is for the rows to say."""
    found: tuple[str, float | None]
    if settings.threshold is not None and one.score is not None:
        found = "threshold", settings.threshold
    elif one.decision is not None:
        found = "recorded", None
    elif one.score is None or one.scale == "quantity":
        found = "none", None
    else:
        found = ("threshold", 0.5) if one.scale == "probability" else ("half", one.threshold)
    yield f"{one.name} › decided by", (one.basis, one.threshold), found


def _groups(one: OneModel, result: ModelAuditResult) -> Iterator[Pair]:
    settings = result.spec.settings
    labelled = result.outcome is not None and result.outcome.kind == "classes"
    known = allowed_rates(labelled=labelled, deciding=one.basis != "none")
    for group in (one.overall, *(group for by in one.comparisons for group in by.groups)):
        yield from _group(group, known, settings, f"{one.name}: {group.label}")
    for by in one.comparisons:
        where = f"{one.name} by {'+'.join(by.attributes)}"
        if len(by.attributes) == 1:
            people = {level: n for level, n in result.groups[by.attributes[0]].items() if n}
            yield f"{where} › groups", sorted((group.label, group.n) for group in by.groups), sorted(people.items())
        yield f"{where} › people", sum(group.n for group in by.groups), one.overall.n
        if one.overall.counts is not None:
            yield f"{where} › counts", one.overall.counts, _counts(by.groups).sum(0).tolist()
        judged = by.judged
        compared = one.basis != "none" and len(judged) > 1
        names = [group.label for group in judged]
        found = compare_judged(_counts(judged), names, labelled, settings) if compared else ({}, (), ())
        yield where, (by.between, by.four_fifths, by.against), found


def _group(group: ModelGroup, known: tuple[str, ...], settings: ModelSettings, where: str) -> Iterator[Pair]:
    judged = group.n >= settings.minimum
    again = replace(
        group,
        label=CROSS.join(group.levels.values()) if group.levels else group.label,
        judged=judged,
        note="" if judged else small_note(group.n),
        rates={},
    )
    if not judged:
        again = replace(again, weighted={}, auc=None, errors={}, calibration=())
    elif group.counts is not None:
        again = replace(again, rates=rates_from_counts(group.counts, known, settings.confidence))
    yield where, group, again
    yield f"{where} › counted", group.counts is not None, bool(known)
    if group.counts is not None and group.auc is not None:
        without, ones = map(sum, group.counts)
        yield f"{where} › AUC", group.auc, area_interval(group.auc.value, ones, without, settings.confidence)
    if group.calibration:
        for k, one in enumerate(group.calibration):
            yield f"{where} › bin {k}", one.observed, _rate(one.observed, settings.confidence)
        yield f"{where} › people in bins", sum(one.observed.n for one in group.calibration), group.n
        if group.counts is not None:
            happened = sum(one.observed.k for one in group.calibration)
            yield f"{where} › with the outcome in bins", happened, sum(group.counts[1])


def _counts(groups: Sequence[ModelGroup]) -> np.ndarray:
    none = ((0, 0), (0, 0))
    return np.array([group.counts or none for group in groups], dtype=np.int64).reshape(-1, 2, 2)


def _rate(stated: Rate, confidence: float) -> Rate | None:
    return rate(min(stated.k, stated.n), stated.n, confidence=confidence)


def _law(one: OneModel, attributes: Sequence[str]) -> Iterator[Pair]:
    applies = any(law_columns(attributes))
    wanted = [name for name, there in (("selection rate", one.basis != "none"), ("scoring rate", one.score)) if there]
    yield f"{one.name} › Local Law 144", [tables.rate for tables in one.law], wanted if applies else []
    groups = {
        by.attributes: [Counted(tuple(g.levels.values()), g.n, int(_counts([g])[0, :, 1].sum())) for g in by.groups]
        for by in one.comparisons
    }
    for tables in one.law:
        yield f"{one.name} › Local Law 144, {tables.rate}", tables, counted_again(tables, groups, attributes)


def _answered(found: Criterion, settings: ModelSettings, where: str) -> Iterator[Pair]:
    answer = answer_of(found.p_value, found.rows, settings)
    if not (answer == "not found" and found.answer == "too few people"):  # of few people in the rows that were drawn
        yield f"{where} › answer", found.answer, answer
    if found.p_value is not None:
        yield f"{where} › p_value", found.p_value, of_shuffles(found.p_value, settings.permutations)
    yield f"{where} › error", found.error, halves_error(found.halves)


def _ceilings(one: OneModel, attribute: str, settings: ModelSettings) -> Iterator[Pair]:
    """Which groups are bounded, their people and the slack; that no threshold's gap is above the worst one's.

    Where the worst threshold lies, and its gap, is for the rows to say.
    """
    judged = {group.label: group for group in one.by(attribute).judged}
    people = sum(group.n for group in judged.values())
    if one.score is None or len(judged) < 2:
        pairs = []
    elif len(judged) <= MOST_PAIRED:
        pairs = list(combinations(judged, 2))
    else:
        pairs = [(name, REST) for name in judged]
    sizes = [(judged[a].n, people - judged[a].n if b == REST else judged[b].n) for a, b in pairs]
    error = (1 - settings.confidence) / max(1, len(pairs))
    bounds = one.attributes[attribute].ceilings
    where = f"{one.name}: ceilings by {attribute}"
    stated = [(bound.groups, bound.people, bound.slack) for bound in bounds]
    yield where, stated, [(names, size, slack(size, error)) for names, size in zip(pairs, sizes, strict=True)]
    if one.basis not in ("threshold", "half"):  # a recorded decision need not be a threshold of the score
        return
    for bound in bounds:
        if REST not in bound.groups:
            k, n = MODEL_RATES["selection_rate"](_counts([judged[name] for name in bound.groups]))
            here = abs(float(k[0] / n[0] - k[1] / n[1]))
            yield f"{where} › {' and '.join(bound.groups)} › worst", bound.found >= here - 1e-12, True


def _standardised(gap: StandardisedGap, by: ModelComparison, settings: ModelSettings, where: str) -> Iterator[Pair]:
    people = {group.label: _counts([group])[0].sum(0) for group in by.groups}
    own, other = people[gap.group], people[gap.reference]
    there = f"{where}: {gap.group} and {gap.reference}"
    yield f"{there} › raw", gap.raw, gap_of(own, other, settings)
    for stratum in gap.strata:
        pair = (_rate(stratum.group, settings.confidence), _rate(stratum.reference, settings.confidence))
        yield f"{there} › {stratum.name}", (stratum.group, stratum.reference), pair
        fewest = min(stratum.group.n, stratum.reference.n)
        yield f"{there} › {stratum.name} › people", fewest >= FEWEST_IN_STRATUM, True
    if len(gap.strata) < MOST_SHOWN:
        ours, theirs = (
            np.array([(side.n - side.k, side.k) for side in sides], dtype=np.int64).reshape(-1, 2)
            for sides in ([one.group for one in gap.strata], [one.reference for one in gap.strata])
        )
        again = standardised_gap(ours, theirs, settings) if gap.strata else None
        yield f"{there} › standardised", gap.standardised, again
        kept = int(ours.sum() + theirs.sum())
        yield f"{there} › people left out", gap.people_left_out, int(own.sum() + other.sum()) - kept


def _along(curve: Curve, confidence: float, where: str) -> Iterator[Pair]:
    """Shares of people have the interval of so many; means of an error have one that only rows can give."""
    if curve.worst is not None:
        p_value = curve.worst.p_value
        yield f"{where} › {curve.rate}, worst › p_value", p_value, of_shuffles(p_value, SHUFFLES)
    if curve.rate not in MODEL_RATES:
        return
    for point in curve.points:
        stated = Interval(point.value, point.low, point.high)
        yield f"{where} › {curve.rate} at {point.at:g}", stated, _share(point.value, point.people, confidence)
    if curve.worst is not None:
        inside = _share(curve.worst.inside.value, curve.worst.people, confidence)
        yield f"{where} › {curve.rate}, worst", curve.worst.inside, inside


def _share(value: float, people: int, confidence: float) -> Interval | None:
    found = rate(round(value * people), people, confidence=confidence)
    return None if found is None else Interval(found.value, found.low, found.high)


def _paired(result: ModelAuditResult, groupings: Sequence[tuple[str, ...]]) -> Iterator[Pair]:
    """Which models are compared by what, and the gaps of both; how sure a difference is, only rows can tell."""
    deciding = [one for one in result.models if one.basis != "none"][:MOST_COMPARED]
    labelled = result.outcome is not None and result.outcome.kind == "classes"
    known = allowed_rates(labelled=labelled, deciding=True)
    found = [
        (attributes, pair[0].name, pair[1].name, name, *gaps)
        for attributes in groupings
        for pair in combinations(deciding, 2)
        for name in COMPARED
        if name in known and np.isfinite(gaps := [_spread(name, one.by(*attributes)) for one in pair]).all()
    ]
    stated = [(one.attributes, one.first, one.second, one.rate, one.gap_first, one.gap_second) for one in result.pairs]
    yield "models compared", stated, found
    for one in result.pairs:
        where = f"{one.first} and {one.second} by {'+'.join(one.attributes)} › {one.rate}"
        yield f"{where} › difference", one.difference.value, one.gap_second - one.gap_first
        # Redraws in which a group has no such rate are not counted, so that there may be fewer than were asked for. A
        # p-value that is rarer than they can count goes with an interval, of the same redraws, that leaves zero out.
        rarest = 1 / (1 + result.spec.settings.replicates) - 1e-12
        apart = one.difference.low > 0 or one.difference.high < 0
        yield f"{where} › p_value", one.p_value >= rarest or (apart and one.p_value > 0), True


def _spread(name: str, by: ModelComparison) -> float:
    return float(spread(name, _counts(by.judged))) if len(by.judged) > 1 else float("nan")

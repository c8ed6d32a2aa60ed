"""Whether a model audit says all it measured: no warning, criterion, gap, curve or threshold was quietly taken away."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import PurePath

from diffoci.model_audit.cannot_say import cannot_say
from diffoci.model_audit.curves import SHOWN
from diffoci.model_audit.errors import ERROR_MEASURES
from diffoci.model_audit.rate_names import allowed_rates
from diffoci.model_audit.result import ModelAuditResult, ModelComparison, ModelGroup, OfAttribute, OneModel
from diffoci.neighbourhoods import automatic
from diffoci.report.checks.agreement import Pair

# Of the rows that coefficients are drawn from: so many of both kinds, and a draw without either does not happen.
_SURE = 25


def whole_model(result: ModelAuditResult) -> Iterator[Pair]:
    """What is stated of every part beside what roles, outcome and groups ask for."""
    yield from _roles(result)
    yield "what cannot be said", result.cannot, cannot_say(result.outcome, result.models, attributes=len(result.groups))
    for one in result.models:
        for group in (one.overall, *(group for by in one.comparisons for group in by.groups)):
            yield from _by_score(one, group, result)
        for attribute, about in one.attributes.items():
            where = f"{one.name} by {attribute}"
            yield from _criteria(one, attribute, about, result)
            yield f"{where} › curves", [curve.rate for curve in about.curves], _curves(one, attribute, result)
            for curve in about.curves:
                yield f"{where} › {curve.rate} › points", bool(curve.points), True
            if attribute in result.groups:
                by = one.by(attribute)
                stated = [(gap.group, gap.reference) for gap in about.gaps]
                yield f"{where} › gaps within factors", stated, _gaps(one, by, result)
                found = [(what.goal, [group.group for group in what.groups]) for what in about.what_if]
                yield f"{where} › what could be done", found, _goals(one, by, result)


def _roles(result: ModelAuditResult) -> Iterator[Pair]:
    """Columns of the specification are those that the result speaks of."""
    roles, spec = result.spec.roles, result.spec
    yield "roles › outcome", None if result.outcome is None else result.outcome.name, roles.label
    yield "roles › sensitive attributes", sorted(result.sensitive), sorted(roles.sensitive)
    if not result.failures:
        stated = [(one.score, one.decision) for one in result.models]
        scores = roles.scores
        if spec.model_file is not None:  # a column of its own, called like the file and not like another column
            scored = result.models[0].score or ""
            yield "roles › scored by", scored.rstrip("'"), PurePath(spec.model_file).stem.rstrip("'")
            scores = (scored, *scores)
        yield "roles › models", stated, list(zip_longest(scores, roles.decisions))


def _labelled(result: ModelAuditResult) -> bool:
    return result.outcome is not None and result.outcome.kind == "classes"


def _by_score(one: OneModel, group: ModelGroup, result: ModelAuditResult) -> Iterator[Pair]:
    """Calibration and AUC are there wherever there is a score, an outcome, and people enough."""
    there = one.score is not None and _labelled(result) and group.judged
    where = f"{one.name}: {group.label}"
    yield f"{where} › calibration", bool(group.calibration), there
    both = group.counts is not None and all(sum(row) for row in group.counts)
    yield f"{where} › has an AUC", group.auc is not None, there and both
    for k, one_bin in enumerate(group.calibration):
        yield f"{where} › bin {k} › mean score", one_bin.low <= one_bin.mean_score <= one_bin.high, True


def _criteria(one: OneModel, attribute: str, about: OfAttribute, result: ModelAuditResult) -> Iterator[Pair]:
    where, used = f"{one.name} by {attribute}", min(result.provenance.rows, result.spec.settings.rows)
    for name, found in about.criteria.items():
        yield f"{where} › {name} › rows and neighbours", (found.rows, found.neighbours), (used, automatic(used))
    if not _vary_in_the_draw(one, attribute, result):
        return
    yield f"{where} › independence", "independence" in about.criteria, True
    if _labelled(result) and one.overall.counts is not None and not _decided_by_outcome(one, attribute, result):
        share = min(map(sum, one.overall.counts)) / result.provenance.rows
        if share and (used == result.provenance.rows or share * used >= _SURE):
            yield f"{where} › separation", "separation" in about.criteria, True


def _vary_in_the_draw(one: OneModel, attribute: str, result: ModelAuditResult) -> bool:
    """Whether there are different groups and different scores or decisions among the rows of coefficients for sure."""
    rows, most = result.provenance.rows, result.spec.settings.rows
    few = [rows]
    if attribute in result.groups:
        few.append(rows - max(result.groups[attribute].values()))
    if one.score is None or rows > most:
        if one.overall.counts is None:
            return False
        selected = sum(row[1] for row in one.overall.counts)
        few.append(min(selected, rows - selected))
    return min(few) > 0 and (rows <= most or min(few) * most / rows >= _SURE)


def _decided_by_outcome(one: OneModel, attribute: str, result: ModelAuditResult) -> bool:
    """Whether people of one outcome are all of one group: then nothing is left to ask among them."""
    if attribute not in result.groups:
        return False
    groups = [group.counts for group in one.by(attribute).groups if group.counts is not None]
    return all(sum(sum(counts[outcome]) > 0 for counts in groups) < 2 for outcome in (0, 1))


def _curves(one: OneModel, attribute: str, result: ModelAuditResult) -> list[str]:
    """Rates or errors that so many people were counted for."""
    if attribute not in result.continuous:
        return []
    fewest = 4 * result.spec.settings.minimum
    if result.outcome is not None and result.outcome.kind == "number" and one.score is not None:
        return list(ERROR_MEASURES) if result.provenance.rows >= fewest else []
    known = allowed_rates(labelled=_labelled(result), deciding=one.basis != "none")
    rates = one.overall.rates
    return [name for name in known if name in SHOWN and name in rates and rates[name].n >= fewest]


def _gaps(one: OneModel, by: ModelComparison, result: ModelAuditResult) -> list[tuple[str, str]]:
    """Every judged group and the one it is compared with."""
    if one.basis == "none" or not result.spec.roles.factors or len(by.judged) < 2:
        return []
    names = [group.label for group in by.judged]
    largest = max(by.judged, key=lambda group: group.n).label
    wanted = result.spec.settings.reference
    reference = wanted if wanted in names else largest
    return [(name, reference) for name in names if name != reference]


def _goals(one: OneModel, by: ModelComparison, result: ModelAuditResult) -> list[tuple[str, list[str]]]:
    """Every goal that thresholds of judged groups can meet."""
    if one.score is None or one.scale == "quantity" or one.basis == "none" or len(by.judged) < 2:
        return []
    goals = ["levelling_up"]
    if _labelled(result):
        both = all(group.counts is not None and all(map(sum, group.counts)) for group in by.judged)
        goals += ["selection", "true_positive_rate", "both"] if both else ["selection"]
    names = [group.label for group in by.judged]
    return [(goal, names) for goal in goals]

"""Work a result's own arithmetic out again: means from seeds, rates from counts, verdicts and findings from numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from diffoci.audit.certificates.ceiling import CONFIDENCE
from diffoci.audit.certificates.certificate import certify, counted_in
from diffoci.audit.decisions.intervals import Rate, rate
from diffoci.audit.dropping import condition_of, only_together
from diffoci.audit.findings import conclude
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.paper import paper_figures
from diffoci.audit.result import AuditResult, Condition, CurvePoint, ExactViews, FeatureView, Mean, MethodResult
from diffoci.audit.verdicts import Chance, verdict
from diffoci.report.checks.agreement import Pair, parts
from diffoci.report.checks.decision_arithmetic import decided_pairs
from diffoci.report.checks.shuffled import of_shuffles
from diffoci.report.checks.whole_audit import whole

_TIES = 2.0  # so many times the noise of a coefficient may ties among neighbours move it


def recomputed(result: AuditResult) -> Iterator[Pair]:
    """What the result states beside what follows from the values and counts it keeps, with where it stands."""
    yield from _numbers(result, "", result.test_share, shortened=bool(result.left_out))
    for attribute, levels in result.groups.items():
        yield f"rows by {attribute}", result.provenance.rows, sum(level.rows for level in levels.values())
    for one in result.methods:
        yield from _verdicts(result, one, f"methods › {one.name}")
        yield from decided_pairs(one.decisions, result.attributes, f"methods › {one.name}")
        yield from _ceilings(result, one, f"methods › {one.name} › certificate")
    for name, points in result.curve.items():
        for point in points:
            yield from _verdicts(result, point, f"curve › {name} › {point.weight}")
    for condition in result.features.conditions:
        if condition.values or not result.left_out:
            yield from _weights(result.features.names, condition)
    together = only_together({condition.given: condition.dropped for condition in result.features.conditions})
    yield "features › only together", result.features.only_together, together
    yield "findings", result.findings, conclude(result)
    yield "paper", result.paper, paper_figures(result.spec.data, result.spec.options)
    yield from whole(result)
    if result.features.exact is not None:
        yield from _single_features(result, result.features.exact)


def _single_features(result: AuditResult, exact: ExactViews) -> Iterator[Pair]:
    """What follows among the coefficients themselves; the rest needs the data."""
    yield "features › rows", exact.rows <= result.provenance.rows, True
    if not result.left_out:  # of a large audit only the most telling features are kept
        yield "features › names", set(exact.columns) <= set(result.features.names), True
    permutations = int(result.spec.settings["permutations"])
    for name, view in exact.columns.items():
        for attribute, told in view.sensitive.items():
            if told.p_value is not None:  # of so many arrangements of the rows
                share = of_shuffles(told.p_value, permutations)
                yield f"features › {name} › {attribute} › p_value", told.p_value, share
    for target, path in exact.paths.items():
        yield f"path for {target} › T grows", list(path.T) == sorted(path.T), True
        told_of = {name: _told_of(view, target) for name, view in exact.columns.items()}
        known = {name: value for name, value in told_of.items() if value is not None}
        if path.names and path.names[0] in known:
            # Columns are scaled for a path and not alone: of neighbours as near as each other, rounding picks others.
            ties = _TIES / max(exact.rows, 1) ** 0.5
            apart = abs(path.T[0] - known[path.names[0]])
            yield f"path for {target} › first step is what it tells alone", apart <= ties, True
            if not result.left_out:
                yield f"path for {target} › most telling", known[path.names[0]] >= max(known.values()) - ties, True


def _told_of(view: FeatureView, target: str) -> float | None:
    if target == "y":
        return view.T_y
    return view.sensitive[target].T if target in view.sensitive else None


def _numbers(value: Any, where: str, test_share: float, *, shortened: bool) -> Iterator[Pair]:
    """Means with intervals and shares of people, wherever they stand; nothing follows from values left out."""
    if isinstance(value, Mean):
        if value.values or not shortened:
            yield from _mean(value, where, test_share)
    elif isinstance(value, Rate):
        yield from _rate(value, where)
    else:
        for there, part in parts(value, where) or ():
            yield from _numbers(part, there, test_share, shortened=shortened)


def _mean(stated: Mean, where: str, test_share: float) -> Iterator[Pair]:
    found = mean_over_seeds(stated.values, test_share=test_share)
    yield f"{where} › mean", stated.mean, found.mean
    for end, limit, again in (("low", stated.low, found.low), ("high", stated.high, found.high)):
        # A rate's interval is cut at 0 and 1; which numbers are rates, the cut itself tells.
        cut = again is not None and limit in (0.0, 1.0) and not 0.0 < again < 1.0
        yield f"{where} › {end}", limit, min(max(again, 0.0), 1.0) if cut and again is not None else again


def _rate(stated: Rate, where: str) -> Iterator[Pair]:
    if stated.k > stated.n:
        yield f"{where} › k", stated.k, f"at most {stated.n}"
        return
    found = rate(stated.k, stated.n)
    for part in ("value", "low", "high"):
        yield f"{where} › {part}", getattr(stated, part), None if found is None else getattr(found, part)


def _verdicts(result: AuditResult, one: MethodResult | CurvePoint, where: str) -> Iterator[Pair]:
    for attribute, places in one.leakage.by_attribute.items():
        for place, found in places.items():
            low, high, area = found.null_auc_low, found.null_auc_high, found.auc.mean
            judged = len(set(result.groups[attribute]) - set(found.not_judged)) > 1
            limits = Chance(low, high) if judged and low is not None and high is not None else None
            yield f"{where} › {attribute} › {place} › verdict", found.verdict, verdict(area, limits)
            if found.p_value is not None:  # of one split, or twice the middle one of several
                p_value = of_shuffles(found.p_value, int(result.spec.settings["permutations"]))
                yield f"{where} › {attribute} › {place} › p_value", found.p_value, p_value
            below = low is not None and area is not None and area < low
            yield f"{where} › {attribute} › {place} › below_chance", found.below_chance, below


def _ceilings(result: AuditResult, one: MethodResult, where: str) -> Iterator[Pair]:
    """What nobody can exceed, from people by group and cell; it is that of the split that is taken away."""
    stated = one.certificate
    if stated is not None:
        confidence = float(result.spec.settings.get("confidence", CONFIDENCE))
        yield where, stated, certify(counted_in(stated), confidence=confidence, seed=one.seeds[0])


def _weights(names: tuple[str, ...], stated: Condition) -> Iterator[Pair]:
    where = f"features accounting for {'+'.join(stated.given) or 'none'}"
    theta = np.array(stated.values, dtype=np.float64).reshape(-1, len(names))
    yield where, stated, condition_of(stated.given, names, theta, stated.cutoff)

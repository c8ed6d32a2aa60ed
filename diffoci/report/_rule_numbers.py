"""Which number of a result a rule means, with its interval and the people it is counted among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import stdtrit

from diffoci.audit.decisions.any_threshold import ScoreCeiling
from diffoci.audit.result import AuditResult, Guessed, Mean
from diffoci.model_audit.criteria import ERROR_DEGREES
from diffoci.model_audit.result import ModelAuditResult, ModelComparison
from diffoci.runs.study import Result

# How rules call gaps, and what `diffoci.audit.decisions` calls them.
GAPS = {
    "selection_rate": "demographic_parity",
    "true_positive_rate": "true_positive_rate",
    "false_positive_rate": "false_positive_rate",
    "equalized_odds": "equalized_odds",
}
KNOWN = (
    "gap.RATE and ratio.RATE (" + ", ".join(GAPS) + "), rate.RATE and auc of a group, T.CRITERION, ceiling; of a "
    "fairness audit gap.RATE, ratio.RATE, ceiling, y.accuracy, y.auc, leakage.auc and leakage.T"
)


@dataclass(frozen=True)
class Found:
    """A number with its interval; `smaller_is_better` says which way is worse."""

    value: float
    low: float
    high: float
    people: int
    smaller_is_better: bool = True


def find_number(result: Result, number: str, *, model: str | None, by: str | None, group: str | None) -> Found | None:
    """Find a number; None where the result does not have it, a sentence where no result does."""
    what, _, which = number.partition(".")
    if isinstance(result, ModelAuditResult):
        return _of_model_audit(result, what, which, model=model, by=by, group=group)
    if isinstance(result, AuditResult):
        return _of_audit(result, what, which, model=model, by=by)
    raise ValueError("Rules are for fairness audits and model audits; this is the result of another study.")


def _of_model_audit(
    result: ModelAuditResult, what: str, which: str, *, model: str | None, by: str | None, group: str | None
) -> Found | None:
    if model is not None and model not in {one.name for one in result.models}:
        known = ", ".join(one.name for one in result.models)
        raise ValueError(f"There is no model '{model}' in the result; it has {known}.")
    one = result.model(model)
    attributes = _attributes(by, result.sensitive)
    if what in ("gap", "ratio", "rate", "auc"):
        comparison = next((c for c in one.comparisons if c.attributes == attributes), None)
        return None if comparison is None else _compared(comparison, what, which, group)
    about = one.attributes.get(attributes[0]) if len(attributes) == 1 else None
    if what == "T":
        if which not in ("independence", "separation", "sufficiency", "given_factors"):
            raise _unknown(f"T.{which}")
        found = None if about is None else about.criteria.get(which)  # type: ignore[call-overload]
        if found is None or found.error is None:
            return None
        reach = float(stdtrit(ERROR_DEGREES, 0.5 + result.spec.settings.confidence / 2)) * found.error
        return Found(found.T, found.T - reach, found.T + reach, found.rows)
    if what == "ceiling":
        return None if about is None else _ceiling(about.ceilings)
    raise _unknown(f"{what}.{which}" if which else what)


def _compared(comparison: ModelComparison, what: str, which: str, group: str | None) -> Found | None:
    smallest = min((one.n for one in comparison.judged), default=0)
    if what in ("rate", "auc"):
        if group is None:
            raise ValueError(f'A rule on {what} needs a group: say which with group = "…".')
        member = next((one for one in comparison.groups if one.label == group), None)
        found: Any = None if member is None else member.auc if what == "auc" else member.rates.get(which)
        return None if found is None else Found(found.value, found.low, found.high, member.n if member else 0, False)
    if group is not None:
        entry = next((e for e in comparison.against if e.group == group and e.rate == which), None)
        chosen = None if entry is None else entry.difference if what == "gap" else entry.ratio
        if chosen is None:
            return None
        if what == "gap":  # of a rule on a gap its size counts
            low, high = sorted((abs(chosen.low), abs(chosen.high)))
            low = 0.0 if chosen.low <= 0 <= chosen.high else low
            return Found(abs(chosen.value), low, high, smallest)
        return Found(chosen.value, chosen.low, chosen.high, smallest, False)
    return _gap(comparison.between, what, which, smallest)


def _gap(between: Any, what: str, which: str, people: int) -> Found | None:
    if which not in GAPS:
        raise _unknown(f"{what}.{which}")
    found = between.get(f"{GAPS[which]}_{'difference' if what == 'gap' else 'ratio'}")
    if found is None or found.found is None:
        return None
    return Found(found.found.value, found.found.low, found.found.high, people, what == "gap")


def _ceiling(bounds: Sequence[ScoreCeiling]) -> Found | None:
    """The sample's largest gap is the least it may be, the ceiling the most."""
    if not bounds:
        return None
    highest = max(bounds, key=lambda bound: bound.most)
    return Found(highest.found, highest.found, highest.most, min(highest.people))


def _of_audit(result: AuditResult, what: str, which: str, *, model: str | None, by: str | None) -> Found | None:
    name = model or result.findings.reference
    method = next((one for one in result.methods if one.name == name), None)
    if method is None:
        if model is not None:
            known = ", ".join(one.name for one in result.methods)
            raise ValueError(f"There is no method '{model}' in the result; it has {known}.")
        return None
    attributes = _attributes(by, result.attributes)
    tested = 0 if method.decisions is None else method.decisions.people
    if what in ("gap", "ratio"):
        comparisons = () if method.decisions is None else method.decisions.comparisons
        comparison = next((c for c in comparisons if c.attributes == attributes), None)
        if comparison is None:
            return None
        people = min((group.n for group in comparison.groups if group.judged), default=0)
        return _gap(comparison.between, what, which, people)
    if what == "ceiling":
        bounds = {} if method.decisions is None else method.decisions.any_threshold
        return _ceiling(bounds.get(attributes[0], ())) if len(attributes) == 1 else None
    if what == "y" and which in ("accuracy", "auc"):
        return _mean(method.y.score(which), tested, smaller_is_better=False)  # type: ignore[arg-type]
    if what == "leakage" and which in ("auc", "T"):
        guessed: Guessed | None = method.leakage.of(attributes[0])
        return None if guessed is None else _mean(guessed.auc if which == "auc" else guessed.T, guessed.test_rows)
    raise _unknown(f"{what}.{which}" if which else what)


def _mean(found: Mean, people: int, *, smaller_is_better: bool = True) -> Found | None:
    if found.mean is None or found.low is None or found.high is None:
        return None
    return Found(found.mean, found.low, found.high, people, smaller_is_better)


def _attributes(by: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """The attributes of a rule: one, or several with a cross between, as results name them."""
    if by is None:
        return tuple(known[:1])
    names = (by,) if by in known else tuple(part.strip() for part in by.replace("×", "+").split("+"))
    for name in names:
        if name not in known:
            raise ValueError(f"'{name}' is not an attribute of the result; it has {', '.join(known)}.")
    return names


def _unknown(number: str) -> ValueError:
    return ValueError(f"There is no number '{number}' for rules; there are {KNOWN}.")

"""Read result.json: every entry is checked, and what an older one lacks is filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from diffoci.audit.certificates.certificate import problems
from diffoci.audit.decisions.disparities import COMPARISONS
from diffoci.audit.findings import conclude
from diffoci.audit.kinds import check_texts
from diffoci.audit.methods import REFERENCE, method_words
from diffoci.audit.result import (
    SCORES,
    AuditResult,
    Changed,
    CurvePoint,
    Decided,
    ExactViews,
    Findings,
    Guessed,
    Mean,
    MethodResult,
    Predicted,
)
from diffoci.runs.run_files import check_schema
from diffoci.runs.typed_json import convert

_Fractions = Annotated[tuple[Annotated[float, Meta(ge=1e-6, le=1)], ...], Meta(min_length=3, max_length=4)]


def read_result(content: Mapping[str, Any], name: str = "result.json") -> AuditResult:
    """Return the result that plain values hold, or say in a sentence which entry of them is wrong.

    Results of earlier versions have no findings or those of earlier rules, no words of their methods, and empty objects
    where there is nothing; they are read as if written today.
    """
    check_schema(content, name)
    check_texts(content, name)
    content = _upgraded(content)
    result = convert(content, AuditResult, name)
    if (problem := next(_problems(result), None)) is not None:
        raise ValueError(f"{name} is damaged: {problem}.")
    found = conclude(result)
    if "findings" not in content:
        return replace(result, findings=found)
    if _spoken_of(result.findings) != _spoken_of(found) or not _names_methods(result):
        raise ValueError(f"{name} is damaged: its findings speak of what it has not measured.")
    return result


def _upgraded(content: Mapping[str, Any]) -> dict[str, Any]:
    methods = content.get("methods")
    upgraded = [_upgraded_method(one) for one in methods] if isinstance(methods, (list, tuple)) else methods
    findings = content.get("findings")
    if isinstance(findings, Mapping) and "rules" not in findings:
        content = {key: value for key, value in content.items() if key != "findings"}
    return {"study": "audit", **content, "methods": upgraded}


def _upgraded_method(one: Any) -> Any:
    """Empty objects stood for no decisions and for no tables of Local Law 144."""
    if not isinstance(one, Mapping):
        return one
    decided = one.get("decisions") or None
    if isinstance(decided, Mapping) and "local_law_144" in decided:
        decided = {**decided, "local_law_144": decided["local_law_144"] or None}
    words = {} if "short" in one else method_words(str(one.get("name")))
    return {**words, **one, "decisions": decided}


def _problems(result: AuditResult) -> Iterator[str]:
    """Parts that do not speak of the same attributes, seeds and features."""
    try:
        msgspec.convert(result.spec.settings.get("fractions"), _Fractions)
    except msgspec.ValidationError:
        yield "its setting 'fractions' is not three shares of the rows, or four"
    curve = [point for points in result.curve.values() for point in points]
    measured: list[MethodResult | CurvePoint] = [*result.methods, *curve]
    for one in measured:
        yield from _problems_of_measured(result, one)
    if len({one.name for one in result.methods}) < len(result.methods):
        yield "two of its methods have the same name"
    features = result.features
    if len(features.labels) != len(features.names):
        yield "it does not say what each of its features means"
    for condition in features.conditions:
        lists = [condition.theta, condition.frequency, *condition.values]
        if any(len(values) != len(features.names) for values in lists):
            yield "it has weights that do not belong to its features"
    if features.exact is not None:
        yield from _problems_of_views(features.exact)


def _problems_of_views(views: ExactViews) -> Iterator[str]:
    if any(len(path.names) != len(path.T) for path in views.paths.values()):
        yield "a path of features has no coefficient for each of them"
    if len({tuple(view.sensitive) for view in views.columns.values()}) > 1:
        yield "what single features tell is not told of the same attributes"


def _problems_of_measured(result: AuditResult, one: MethodResult | CurvePoint) -> Iterator[str]:
    if set(one.leakage.by_attribute) != set(result.groups):
        yield "it does not measure the attributes whose groups it names"
    if not all("representation" in places for places in one.leakage.by_attribute.values()):
        yield "it does not say what can be guessed from a representation"
    if any(len(one.y.score(score).values) > len(one.seeds) for score in SCORES):
        yield "it has more scores than seeds"
    guessed = [found for places in one.leakage.by_attribute.values() for found in places.values()]
    predicted: list[Predicted | Guessed] = [one.y, *guessed]
    rates = [part for found in predicted for part in (found, *found.probes.values())]
    if not all(_is_possible(part.score(score)) for part in rates for score in SCORES):
        yield "a score in it is not from 0 to 1, or an interval does not hold its mean"
    if isinstance(one, MethodResult) and one.decisions is not None:
        yield from _problems_of_decisions(one.decisions)
    if isinstance(one, MethodResult) and one.changed is not None:
        yield from _problems_of_changed(result, one, one.changed)
    if isinstance(one, MethodResult) and one.certificate is not None:
        yield from problems(one.certificate, result.groups, len(result.label.classes))


def _problems_of_changed(result: AuditResult, one: MethodResult, changed: Changed) -> Iterator[str]:
    """Folds are of equal size but for a person, so the mean of their differences is the difference over all."""
    before = next((found.y.accuracy.mean for found in result.methods if found.name == REFERENCE), None)
    after, people, folds = one.y.accuracy.mean, changed.people, len(one.seeds)
    if changed.lost + changed.gained > people or people > result.provenance.rows:
        yield "it counts more people whose prediction changed than there are"
    elif before is None or after is None:
        yield "it counts changed predictions where nothing was predicted"
    elif abs(after - before - (changed.gained - changed.lost) / people) > folds / people:
        yield "what changed for people is not the difference in accuracy"


def _is_possible(found: Mean) -> bool:
    """Whether a mean of shares is one, with an interval around it where it has one."""
    if found.mean is None:
        return found.low is None and found.high is None
    low, high = (found.mean if end is None else end for end in (found.low, found.high))
    shares = all(0 <= value <= 1 for value in (found.mean, *found.values) if value is not None)
    return shares and 0 <= low <= found.mean <= high <= 1 and (found.low is None) == (found.high is None)


def _problems_of_decisions(decided: Decided) -> Iterator[str]:
    if any(set(comparison.between) != set(COMPARISONS) for comparison in decided.comparisons):
        yield "groups are not compared in every way that decisions are"


def _spoken_of(findings: Findings) -> tuple[Any, ...]:
    """What findings are about: attributes, places and methods, gaps by attribute, and whether anything was measured."""
    measured = {
        attribute: {place: list(finding.methods) for place, finding in places.items()}
        for attribute, places in findings.guessed.items()
    }
    return measured, list(findings.selection), findings.sureness is None


def _names_methods(result: AuditResult) -> bool:
    """Whether every method that the findings speak of is one of the result."""
    findings, known = result.findings, {one.name for one in result.methods}
    named = {findings.reference, findings.chosen}
    for places in findings.guessed.values():
        named |= {name for finding in places.values() for name in (finding.reference, finding.best)}
    return named - {None} <= known and (findings.reference is None) == (not known)

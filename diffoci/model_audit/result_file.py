"""Read the result.json of a model audit: every entry is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diffoci.audit.decisions.weighting import OVERALL
from diffoci.audit.kinds import check_texts
from diffoci.model_audit.guide import check_answers
from diffoci.model_audit.rate_names import allowed_rates
from diffoci.model_audit.result import ModelAuditResult, ModelComparison, ModelGroup, OneModel
from diffoci.runs.run_files import check_schema
from diffoci.runs.typed_json import convert


def read_result(content: Mapping[str, Any], name: str = "result.json") -> ModelAuditResult:
    """Return the result that plain values hold, or say in a sentence which entry of them is wrong."""
    check_schema(content, name)
    check_texts(content, name)
    result = convert(content, ModelAuditResult, name)
    check_answers(result.spec.answers)
    if (problem := next(_problems(result), None)) is not None:
        raise ValueError(f"{name} is damaged: {problem}.")
    return result


def _problems(result: ModelAuditResult) -> Iterator[str]:
    if len({one.name for one in result.models}) < len(result.models):
        yield "two of its models have the same name"
    for one in result.models:
        yield from _problems_of(one, result)
    names = {one.name for one in result.models}
    if any({pair.first, pair.second} - names for pair in result.pairs):
        yield "it compares models that it does not have"
    for pair in result.paired_criteria:
        sides = [one.attributes.get(pair.attribute) for one in result.models if one.name in (pair.first, pair.second)]
        if len(sides) < 2 or any(side is None or pair.criterion not in side.criteria for side in sides):
            yield "it compares coefficients that it does not have"
            return


def _problems_of(one: OneModel, result: ModelAuditResult) -> Iterator[str]:
    if set(one.attributes) - set(result.sensitive):
        yield "a model has attributes that the audit does not name"
    labelled = result.outcome is not None and result.outcome.kind == "classes"
    known = allowed_rates(labelled=labelled, deciding=one.basis != "none")
    yield from _problems_of_group(one.overall, known)
    for comparison in one.comparisons:
        if set(comparison.attributes) - set(result.groups) or not comparison.attributes:
            yield "groups are compared by what is no attribute"
        labels = [group.label for group in comparison.groups]
        if not labels or len(set(labels)) < len(labels):
            yield "groups that are compared are none, or have the same name"
        for group in comparison.groups:
            yield from _problems_of_group(group, known)
        if set(_named(comparison)) - {*labels, OVERALL}:
            yield "it compares groups that it does not have"


def _named(comparison: ModelComparison) -> Iterator[str | None]:
    """The groups that gaps and ratios speak of."""
    for gap in comparison.against:
        yield from (gap.group, gap.reference)
    for ratio in comparison.four_fifths:
        yield from (ratio.label, ratio.reference)
    for between in comparison.between.values():
        if between.value is not None:
            yield from (between.highest, between.lowest)


def _problems_of_group(group: ModelGroup, known: tuple[str, ...]) -> Iterator[str]:
    if group.counts is not None and sum(map(sum, group.counts)) != group.n:
        yield f"the people of the group {group.label} do not add up"
    counted = {name for name in known if group.counts is not None and group.judged}
    if set(group.rates) - counted or (counted and known[0] not in group.rates):
        yield f"the group {group.label} has rates that cannot be counted, or lacks those that can"

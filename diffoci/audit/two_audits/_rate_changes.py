"""How often a group has the outcome, and is predicted to, in two audits: compared from counts of people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from diffoci.audit.decisions.decide import GroupComparison
from diffoci.audit.noise import Difference, normal_difference, share_difference, share_variance
from diffoci.audit.result import AuditResult
from diffoci.audit.verdicts import FEWEST_ROWS

What = Literal["outcome", "predicted", "gap"]


@dataclass(frozen=True)
class Counted:
    """A share of people in both audits, or (as a gap) the share of one group less that of another."""

    what: What
    attribute: str
    group: str
    first: float
    second: float
    difference: Difference


@dataclass(frozen=True)
class _Share:
    value: float
    people: int


def rates_of(first: AuditResult, second: AuditResult, method: str) -> Iterator[Counted]:
    """Every rate that both audits have of a group large enough; nothing where they do not predict the same."""
    if first.label != second.label:
        return
    for attribute in first.groups:
        if attribute not in second.groups:
            continue
        if first.provenance.sha256 != second.provenance.sha256:  # the same rows have the same outcomes
            yield from _compared("outcome", attribute, *(_outcomes(result, attribute) for result in (first, second)))
        selected = [_selected(result, method, attribute) for result in (first, second)]
        yield from _compared("predicted", attribute, *selected)
        yield from _gap(attribute, *selected)


def _outcomes(result: AuditResult, attribute: str) -> dict[str, _Share]:
    return {
        level: _Share(group.label_rate, group.rows)
        for level, group in result.groups[attribute].items()
        if group.label_rate is not None and group.rows >= FEWEST_ROWS
    }


def _selected(result: AuditResult, method: str, attribute: str) -> dict[str, _Share]:
    """Another training selects other people too, which counts do not show: people count for half as many."""
    decided = result.method(method).decisions
    comparisons: tuple[GroupComparison, ...] = () if decided is None else decided.comparisons
    groups = next((one.groups for one in comparisons if one.attributes == (attribute,)), ())
    return {group.label: _Share(group.selected / group.n, group.n // 2) for group in groups if group.judged}


def _compared(what: What, attribute: str, one: dict[str, _Share], two: dict[str, _Share]) -> Iterator[Counted]:
    for group, before in one.items():
        if (after := two.get(group)) is not None:
            difference = share_difference((before.value, before.people), (after.value, after.people))
            yield Counted(what, attribute, group, before.value, after.value, difference)


def _gap(attribute: str, one: dict[str, _Share], two: dict[str, _Share]) -> Iterator[Counted]:
    """Of two groups: of more, the widest pair is picked by its numbers, and would seem to close by itself."""
    if len(one) != 2 or set(one) != set(two):
        return
    high, low = sorted(one, key=lambda group: one[group].value + two[group].value, reverse=True)
    before, after = (side[high].value - side[low].value for side in (one, two))
    shares = [share for side in (one, two) for share in side.values()]
    error = float(np.sqrt(sum(share_variance(share.value, share.people) for share in shares)))
    yield Counted("gap", attribute, f"{high} over {low}", before, after, normal_difference(after - before, error))

"""Models compared on the same people: which differences are more than noise, having looked at all of them.

Gaps and coefficients are corrected together (Holm): whoever reads "fairer" does not ask by which of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from diffoci.audit.noise import Difference, Judgement, judge_all
from diffoci.model_audit.result import ModelAuditResult, PairedCriterion, PairedGap

JudgedGap = Literal["smaller gap", "larger gap", "perhaps smaller", "perhaps larger", "not told apart"]
JudgedCriterion = Literal["departs less", "departs more", "perhaps less", "perhaps more", "not told apart"]


@dataclass(frozen=True)
class JudgedPairs:
    """What is said of every difference, each in the order of the result."""

    gaps: tuple[JudgedGap, ...]
    criteria: tuple[JudgedCriterion, ...]

    @property
    def looked_at(self) -> int:
        """How many differences were looked at."""
        return len(self.gaps) + len(self.criteria)


def judge_pairs(result: ModelAuditResult) -> JudgedPairs:
    """What is said of every difference of two models, in their order, having looked at all of them."""
    pairs: list[PairedGap | PairedCriterion] = [*result.pairs, *result.paired_criteria]
    judged = judge_all({k: _difference(pair) for k, pair in enumerate(pairs)})
    gaps, beyond = len(result.pairs), range(len(result.pairs), len(pairs))
    return JudgedPairs(
        gaps=tuple(_judged_gap(pair, judged[k]) for k, pair in zip(range(gaps), result.pairs, strict=True)),
        criteria=tuple(
            _judged_criterion(pair, judged[k], result) for k, pair in zip(beyond, result.paired_criteria, strict=True)
        ),
    )


def _difference(pair: PairedGap | PairedCriterion) -> Difference:
    return Difference(pair.difference.value, pair.difference.low, pair.difference.high, pair.p_value)


def _judged_gap(pair: PairedGap, judgement: Judgement) -> JudgedGap:
    smaller = pair.difference.value < 0
    if judgement == "more than noise":
        return "smaller gap" if smaller else "larger gap"
    if judgement == "perhaps":
        return "perhaps smaller" if smaller else "perhaps larger"
    return "not told apart"


def _judged_criterion(pair: PairedCriterion, judgement: Judgement, result: ModelAuditResult) -> JudgedCriterion:
    """A smaller T is a smaller departure only where the larger T is one: below that, both are what chance gives."""
    less = pair.difference.value < 0
    larger = result.model(pair.first if less else pair.second).attributes[pair.attribute].criteria[pair.criterion]
    if larger.answer != "found" or judgement not in ("more than noise", "perhaps"):
        return "not told apart"
    if judgement == "perhaps":
        return "perhaps less" if less else "perhaps more"
    return "departs less" if less else "departs more"

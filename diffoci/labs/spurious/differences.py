"""What the penalty changes, repetition by repetition, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from diffoci.audit.noise import Difference, Judgement, judge_all, paired_difference, share_variance, without_width
from diffoci.labs.spurious.means import by_training_groups, worst
from diffoci.labs.spurious.result import Outcome, Repetition, SpuriousResult

Measured = Literal["worst group", "average", "saliency"]
# With the penalty less without it.
PAIRS = (("ERM", "ERM+dF2"), ("DRO", "DRO+dF2"))
_MEASURED: tuple[Measured, ...] = ("worst group", "average", "saliency")


@dataclass(frozen=True)
class Change:
    """With less without the penalty: `plain` and `penalised` are methods, `what` is measured of both."""

    plain: Outcome
    penalised: Outcome
    what: Measured
    difference: Difference
    judgement: Judgement


def changes(result: SpuriousResult) -> tuple[Change, ...]:
    """Everything that can be compared, judged together: of many differences some are large by chance."""
    found = {}
    for plain, penalised in PAIRS:
        before, after = result.find(plain), result.find(penalised)
        if before is None or after is None:
            continue
        for what in _MEASURED:
            if (one := _difference(result, before, after, what)) is not None:
                found[plain, penalised, what] = (before, after, one)
    judged = judge_all({key: one for key, (_, _, one) in found.items()})
    return tuple(Change(before, after, key[2], one, judged[key]) for key, (before, after, one) in found.items())


def _difference(result: SpuriousResult, before: Outcome, after: Outcome, what: Measured) -> Difference | None:
    """Of the repetitions that both have; None where they have none, or it was not measured."""
    ours = {one.seed: _value(result, one, what) for one in before.repetitions}
    pairs = [(ours.get(one.seed), _value(result, one, what)) for one in after.repetitions]
    known = [(first, second) for first, second in pairs if first is not None and second is not None]
    if not known:
        return None
    first, second = zip(*known, strict=True)
    if len(known) == 1:
        return Difference(second[0] - first[0])
    of_rows = _of_rows(result, before, what)
    found = paired_difference(first, second, test_share=result.overlap, of_rows=of_rows)
    # Repetitions that happen to agree exactly are no proof.
    same = found.low is not None and found.high is not None and without_width(found.low, found.high)
    return Difference(found.value) if same else found


def _value(result: SpuriousResult, one: Repetition, what: Measured) -> float | None:
    if what == "saliency":
        return one.saliency
    return worst(one.cells) if what == "worst group" else by_training_groups(one.cells, result.sizes)


def _of_rows(result: SpuriousResult, one: Outcome, what: Measured) -> float:
    """The variance that test rows alone give; that of saliency is in its spread over repetitions."""
    if what == "saliency":
        return 0.0
    each = [
        (share_variance(mean.mean, size.test), size.train)
        for mean, size in zip(one.cells, result.sizes, strict=True)
        if mean.mean is not None and size.test
    ]
    if not each:
        return 0.0
    if what == "worst group":
        return max(variance for variance, _ in each)
    weights = _shares([train for _, train in each])
    return float(sum(weight**2 * variance for weight, (variance, _) in zip(weights, each, strict=True)))


def _shares(counts: Sequence[int]) -> Sequence[float]:
    total = float(np.sum(counts))
    return [count / total for count in counts] if total else [0.0] * len(counts)

"""The four-fifths ratio: each group's selection rate against that of the group selected most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from diffoci.audit.decisions.group_rates import RATES
from diffoci.audit.decisions.pair_limits import ratio_limits_to
from diffoci.audit.decisions.resampling import critical_value
from diffoci.audit.kinds import Positive, Stored, Text
from diffoci.inputs import Ints

FOUR_FIFTHS = 0.8
Verdict = Literal["below four fifths", "not below four fifths", "too few people to say"]
BELOW: Verdict = "below four fifths"
NOT_BELOW: Verdict = "not below four fifths"
TOO_FEW: Verdict = "too few people to say"


class GroupRatio(Stored, frozen=True):
    """One group's selection rate divided by the highest, and whether it is below four fifths beyond chance.

    The verdict follows the interval, which holds for all groups at once: below when all of it is, not below when none
    of it is, and else "too few people to say". `high` is None where few people leave the ratio without an upper limit.
    """

    label: Text
    value: Positive
    low: Positive
    high: Positive | None
    reference: Text
    verdict: Verdict


def four_fifths(
    counts: Ints, labels: Sequence[str], *, drawn: Ints, confidence: float = 0.95
) -> tuple[GroupRatio, ...]:
    """Return each group's ratio from counts by group, label and decision; nothing where nobody was selected.

    `drawn` are bootstrap tables of the counts.

    >>> from diffoci.audit.decisions.resampling import bootstrap_counts
    >>> counts = np.array([[[250, 250], [250, 250]], [[400, 100], [400, 100]]])
    >>> drawn = bootstrap_counts(counts, replicates=500, rng=np.random.default_rng(0))
    >>> [(entry.label, entry.value, entry.verdict) for entry in four_fifths(counts, ["m", "f"], drawn=drawn)]
    [('m', 1.0, 'not below four fifths'), ('f', 0.4, 'below four fifths')]
    """
    k, n = RATES["selection_rate"](counts)
    if len(counts) < 2 or not k.any():
        return ()
    drawn_k, drawn_n = RATES["selection_rate"](drawn)
    critical = critical_value([(drawn_k + 0.5) / (drawn_n + 1)], confidence=confidence)
    rate = k / n
    reference = int(np.argmax(rate))
    limits = zip(*ratio_limits_to(reference, k, n, critical=critical), strict=True)
    return tuple(
        _judged(label, float(ratio), min(float(low), float(ratio)), float(high), labels[reference])
        for label, ratio, (low, high) in zip(labels, rate / rate[reference], limits, strict=True)
    )


def _judged(label: str, ratio: float, low: float, high: float, reference: str) -> GroupRatio:
    verdict = BELOW if high < FOUR_FIFTHS else NOT_BELOW if low >= FOUR_FIFTHS else TOO_FEW
    return GroupRatio(label, ratio, low, high if math.isfinite(high) else None, reference, verdict)

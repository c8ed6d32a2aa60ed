"""The gap of the worst threshold between two groups, and what no threshold exceeds, whoever sets it."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from diffoci.audit.certificates.ceiling import MOST_PAIRED, REST, slack
from diffoci.audit.decisions.grouping import Grouping
from diffoci.audit.kinds import Count, Number, Positive, Share, Stored, Text
from diffoci.inputs import Floats, Ints


class ScoreCeiling(Stored, frozen=True, kw_only=True):
    """The gap in being selected between two groups at the worst threshold, and what no threshold exceeds.

    `slack` is what so many people may be wrong by, at the confidence shared by all comparisons.
    """

    groups: tuple[Text, Text]
    people: tuple[Count, Count]
    found: Share
    threshold: Number
    slack: Positive

    @property
    def most(self) -> float:
        """The gap of any threshold, at most."""
        return min(1.0, self.found + self.slack)


def score_ceilings(
    values: Floats, place: Ints, groups: Grouping, *, minimum: int, confidence: float
) -> tuple[ScoreCeiling, ...]:
    """Bound the gap in being selected over all thresholds at once, for every pair of groups of `minimum` people.

    `values` are the scores that occur, from the lowest, and `place` which of them each person has. All bounds hold
    together. They hold for people whom the model has not learnt from.

    >>> by = Grouping(("sex",), (("f",), ("m",)), np.array([0, 0, 1, 1]))
    >>> values, place = np.unique([0.1, 0.2, 0.8, 0.9], return_inverse=True)
    >>> [(one.found, float(one.threshold)) for one in score_ceilings(values, place, by, minimum=1, confidence=0.95)]
    [(1.0, 0.8)]
    """
    counted = groups.counts(place, sizes=[len(values)])
    judged = [k for k in range(len(groups)) if counted[k].sum() >= minimum]
    if len(judged) < 2:
        return ()
    names = groups.labels
    if len(judged) <= MOST_PAIRED:
        compared = [(names[a], names[b], counted[a], counted[b]) for a, b in combinations(judged, 2)]
    else:
        everyone = counted[judged].sum(axis=0)
        compared = [(names[k], REST, counted[k], everyone - counted[k]) for k in judged]
    error = (1 - confidence) / len(compared)
    return tuple(_bound((one, other), values, a, b, error) for one, other, a, b in compared)


def _bound(names: tuple[str, str], values: Floats, one: Ints, other: Ints, error: float) -> ScoreCeiling:
    sizes = int(one.sum()), int(other.sum())
    # Whoever has a score of at least the threshold is selected: the share from each value upwards.
    above = [np.cumsum(side[::-1])[::-1] / size for side, size in zip((one, other), sizes, strict=True)]
    gap = np.abs(above[0] - above[1])
    worst = int(np.argmax(gap))
    return ScoreCeiling(
        groups=names,
        people=sizes,
        found=float(min(1.0, gap[worst])),
        threshold=float(values[worst]),
        slack=slack(sizes, error),
    )

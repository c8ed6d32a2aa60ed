"""The certificate of a method: what nobody can exceed who receives its cells, from counts that it keeps.

The representation is cut into a few cells. Whoever receives a person's cell, and nothing finer, is bound by it
(`ceiling`), with whatever method. It is that of one split, the one whose representation is taken away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from diffoci.audit.certificates.ceiling import Ceiling, ceiling, ordered_auc, telling
from diffoci.audit.kinds import (
    MOST_ATTRIBUTES,
    MOST_LEVELS,
    Count,
    GroupNames,
    People,
    Seed,
    Share,
    Stored,
    Text,
)
from diffoci.audit.verdicts import FEWEST_ROWS

MOST_CELLS = 256
# A class of fewer people says next to nothing of an AUC, and would say it as loudly as the others.
FEWEST_OF_A_CLASS = 10

Row = Annotated[tuple[Count, ...], Meta(min_length=1, max_length=MOST_LEVELS)]
Counts = Annotated[tuple[Row, ...], Meta(min_length=1, max_length=MOST_LEVELS)]
Shares = Annotated[tuple[Annotated[tuple[Share, ...], Meta(max_length=MOST_LEVELS)], ...], Meta(max_length=MOST_CELLS)]


class Bounds(Stored, frozen=True, kw_only=True):
    """What nobody can exceed who guesses one attribute, or decides, from the cells.

    `people` are those it rests on, `tv` the largest total variation between two groups in the sample. The others are
    what holds with the certificate's confidence: the balanced accuracy of naming the group among all that are judged,
    the AUC (of several groups the mean of each against the rest), and the gap in being selected between any two.
    """

    people: People
    tv: Share
    balanced_accuracy_at_most: Share
    auc_at_most: Share
    parity_gap_at_most: Share


class AttributeBounds(Bounds, frozen=True, kw_only=True):
    """The bounds of one attribute with what they follow from: people by group and cell.

    Among `comparisons` the error is shared out, so that all pairs hold together. `least` is the lowest balanced
    accuracy that a ceiling on so many people could have; where it is above what says something (0.60 for two groups),
    there are too few of them, and `people_needed` is about how many it takes.
    """

    groups: GroupNames
    counts: Counts
    comparisons: People
    least: Share
    people_needed: People

    @property
    def too_few(self) -> bool:
        """Whether so many people could not give a ceiling that says something."""
        return self.least > telling(len(self.groups))

    def ceiling(self, confidence: float) -> Ceiling:
        """Pair by pair."""
        found = ceiling(self.counts, self.groups, confidence=confidence)
        assert found is not None  # with fewer than two groups there are no bounds
        return found


class Certificate(Bounds, frozen=True, kw_only=True):
    """The cells of one split's representation, and what they bound.

    The bounds of the first attribute that has some stand here once more, for those who audit one.
    `outcome` are people by cell and class of the outcome, `predicted` the shares of the classes among the training
    rows of each cell. `aside` says whether the people were set aside for nothing else; else they are the test rows.
    """

    cells: People
    confidence: Share
    seed: Seed
    aside: bool
    y_accuracy: Share
    y_auc: Share | None
    outcome: Counts
    predicted: Shares
    by_attribute: Annotated[dict[Text, AttributeBounds], Meta(min_length=1, max_length=MOST_ATTRIBUTES)]


def certify(counted: Mapping[str, Any], *, confidence: float, seed: int) -> Certificate | None:
    """The certificate that follows from counts; None where no attribute has people of two groups."""
    by_attribute = {
        name: bounds
        for name, one in counted["attributes"].items()
        if (bounds := bounds_of(one["groups"], one["counts"], confidence=confidence)) is not None
    }
    if not by_attribute:
        return None
    outcome, predicted = (tuple(map(tuple, counted[name])) for name in ("outcome", "predicted"))
    first = next(iter(by_attribute.values()))
    return Certificate(
        **{name: getattr(first, name) for name in Bounds.__struct_fields__},
        cells=len(outcome),
        confidence=confidence,
        seed=seed,
        aside=counted["aside"],
        y_accuracy=y_accuracy(outcome, predicted),
        y_auc=y_auc(outcome, predicted),
        outcome=outcome,
        predicted=predicted,
        by_attribute=by_attribute,
    )


def bounds_of(groups: Sequence[str], counts: Sequence[Sequence[int]], *, confidence: float) -> AttributeBounds | None:
    """Bounds of one attribute from people by group and cell; None where all are of one group.

    Groups of fewer than 30 are not judged; where fewer than two are left, the two largest stand for how few there are.

    >>> found = bounds_of(["f", "m"], [[600, 650], [640, 610]], confidence=0.95)
    >>> found.people, round(found.tv, 3), round(found.balanced_accuracy_at_most, 3)
    (2500, 0.032, 0.54)
    """
    sizes = [sum(row) for row in counts]
    judged = [k for k, size in enumerate(sizes) if size >= FEWEST_ROWS]
    if len(judged) < 2:
        judged = sorted(sorted(range(len(sizes)), key=lambda k: -sizes[k])[:2])
    table = tuple(tuple(map(int, counts[k])) for k in judged)
    found = ceiling(table, [groups[k] for k in judged], confidence=confidence) if len(judged) > 1 else None
    if found is None:
        return None
    return AttributeBounds(
        people=sum(found.sizes),
        tv=min(1.0, max(bound.found for bound in found.bounds)),
        balanced_accuracy_at_most=found.naming.most,
        auc_at_most=found.ranking.most,
        parity_gap_at_most=found.worst.tv,
        groups=tuple(groups[k] for k in judged),
        counts=table,
        comparisons=found.comparisons,
        least=found.least,
        people_needed=found.people_needed,
    )


def counted_in(certificate: Certificate) -> dict[str, Any]:
    """The counts a certificate keeps, from which it follows."""
    return {
        "outcome": certificate.outcome,
        "predicted": certificate.predicted,
        "aside": certificate.aside,
        "attributes": {
            name: {"groups": one.groups, "counts": one.counts} for name, one in certificate.by_attribute.items()
        },
    }


def problems(certificate: Certificate, groups: Mapping[str, Collection[str]], classes: int) -> Iterator[str]:
    """What keeps a certificate from following from its own counts."""
    cells, tables = certificate.cells, certificate.by_attribute
    if not 0 < certificate.confidence < 1:
        yield "the confidence of a ceiling is not between 0 and 1"
    shapes = [(len(table), {len(row) for row in table}) for table in (certificate.outcome, certificate.predicted)]
    if shapes != [(cells, {classes})] * 2 or not any(map(sum, certificate.outcome)):
        yield "a ceiling does not count the outcome in every cell"
    for name, one in tables.items():
        known = name in groups and set(one.groups) <= set(groups[name]) and len(set(one.groups)) == len(one.groups)
        if not known or len(one.counts) != len(one.groups) or len(one.groups) < 2:
            yield "a ceiling does not speak of the groups there are"
        elif any(len(row) != cells or not sum(row) for row in one.counts):
            yield "a ceiling does not count people in every cell"


def y_accuracy(outcome: Counts, predicted: Shares) -> float:
    """How often the outcome is the commonest class of the training rows of the cell."""
    people, said = np.array(outcome), np.argmax(np.array(predicted), axis=1)
    return float(people[np.arange(len(people)), said].sum() / people.sum())


def y_auc(outcome: Counts, predicted: Shares) -> float | None:
    """AUC of the outcome by the cells' shares; of several classes the mean of each against the rest."""
    people, shares = np.array(outcome, dtype=np.float64), np.array(predicted)
    size = people.sum(axis=0)
    fewer = np.minimum(size, size.sum() - size)
    wanted = np.array([1]) if people.shape[1] == 2 else np.arange(people.shape[1])
    some = [k for k in wanted if fewer[k] >= FEWEST_OF_A_CLASS] or [k for k in wanted if fewer[k] > 0]
    areas = [ordered_auc(people.sum(axis=1) - people[:, k], people[:, k], shares[:, k]) for k in some]
    return float(np.mean(areas)) if areas else None

"""Two audits side by side: what changed for every method they share, and whether it is more than noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from diffoci.audit.noise import (
    LEVEL,
    Difference,
    auc_variance,
    estimate,
    holm,
    paired_difference,
    share_variance,
    unpaired_difference,
)

Result = Mapping[str, Any]
Judgement = Literal["more than noise", "perhaps", "no more than noise", "not known"]


@dataclass(frozen=True)
class Change:
    """One score in both audits; "perhaps" is what stands out alone, but not among as many comparisons as were made."""

    first: float
    second: float
    difference: Difference
    judgement: Judgement


@dataclass(frozen=True)
class MethodChange:
    """One method and attribute: accuracy of y, AUC of guessing the attribute, and the verdicts on it."""

    method: str
    attributes: tuple[str, str]
    y: Change
    guessed: Change | None
    verdicts: tuple[str, str]


@dataclass(frozen=True)
class DroppedChange:
    """A feature that more than half of the seeds dropped in one audit only; shares are those of seeds."""

    given: tuple[tuple[str, ...], tuple[str, ...]]
    feature: str
    shares: tuple[float, float]
    seeds: tuple[int, int]

    @property
    def every_seed(self) -> bool:
        """Whether all seeds of one audit dropped it and none of the other."""
        return sorted(self.shares) == [0.0, 1.0]


@dataclass(frozen=True)
class Contrast:
    """What two audits have in common, compared. `paired`: the same data in the same splits."""

    methods: tuple[MethodChange, ...]
    dropped: tuple[DroppedChange, ...]
    paired: bool
    comparisons: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def contrast(first: Result, second: Result) -> Contrast:
    """Compare all methods both audits have, for the attributes they share, or else for those of the same rank.

    Raises
    ------
    ValueError
        With a sentence, where they share no method.
    """
    shared = [one["name"] for one in first["methods"] if any(one["name"] == two["name"] for two in second["methods"])]
    if not shared:
        raise ValueError("These audits have no method in common, so there is nothing to compare.")
    paired = _same_splits(first, second)
    pairs = attribute_pairs(first, second)
    rows = [(method, pair, *_differences(first, second, method, pair, paired)) for method in shared for pair in pairs]
    # The accuracy of y does not depend on the attribute: it is one comparison a method.
    looked = {("y", method): y for method, _, y, _ in rows} | {
        (pair, method): guessed for method, pair, _, guessed in rows if guessed is not None
    }
    known = {key: one.p_value for key, (_, _, one) in looked.items() if one.p_value is not None}
    adjusted = dict(zip(known, holm(list(known.values())), strict=True))

    def change(key: tuple[Any, str]) -> Change:
        before, after, difference = looked[key]
        return Change(before, after, difference, _judged(difference, adjusted.get(key)))

    methods = tuple(
        MethodChange(
            method,
            pair,
            change(("y", method)),
            None if guessed is None else change((pair, method)),
            (_leakage(first, method, pair[0])["verdict"], _leakage(second, method, pair[1])["verdict"]),
        )
        for method, pair, _, guessed in rows
    )
    return Contrast(methods, tuple(_dropped(first, second, pairs)), paired, len(looked))


def attribute_pairs(first: Result, second: Result) -> list[tuple[str, str]]:
    """Attributes of the same name; where there are none, the first with the first, and so on."""
    common = [(name, name) for name in first["groups"] if name in second["groups"]]
    return common or list(zip(first["groups"], second["groups"], strict=False))


def _same_splits(first: Result, second: Result) -> bool:
    def splits(result: Result) -> tuple[Any, ...]:
        return result["provenance"]["sha256"], list(result["spec"]["settings"]["fractions"])

    seeds = [[one["seeds"] for one in result["methods"]] for result in (first, second)]
    return splits(first) == splits(second) and all(one == seeds[0][0] for one in [*seeds[0], *seeds[1]])


Compared = tuple[float, float, Difference]


def _differences(
    first: Result, second: Result, method: str, pair: tuple[str, str], paired: bool
) -> tuple[Compared, Compared | None]:
    y, guessed = [], []
    for result, attribute in zip((first, second), pair, strict=True):
        found = _leakage(result, method, attribute)
        rows = int(found["test_rows"])
        accuracy, area = _method(result, method)["y"]["accuracy"], found["auc"]
        y.append((result, accuracy, share_variance(accuracy["mean"], rows)))
        guessed.append((result, area, _variance_of_area(result, found, attribute)))
    return _compared(y, paired), None if any(one[1]["mean"] is None for one in guessed) else _compared(guessed, paired)


def _compared(sides: Sequence[tuple[Result, Mapping[str, Any], float]], paired: bool) -> Compared:
    values = [[float(value) for value in found["values"] if value is not None] for _, found, _ in sides]
    before, after = (float(found["mean"]) for _, found, _ in sides)
    share = [_test_share(result) for result, _, _ in sides]
    if paired and len(values[0]) == len(values[1]) > 1:
        return (
            before,
            after,
            paired_difference(*values, test_share=share[0], of_rows=max(of_rows for _, _, of_rows in sides)),
        )
    one, two = (
        estimate(known, test_share=part, of_rows=of_rows)
        for known, part, (_, _, of_rows) in zip(values, share, sides, strict=True)
    )
    if one is None or two is None:
        return before, after, Difference(after - before)
    return before, after, unpaired_difference(one, two)


def _variance_of_area(result: Result, found: Mapping[str, Any], attribute: str) -> float:
    """Of the mean of one group against the others; taken as fully dependent, which is the widest it can be."""
    sizes = {name: group["rows"] for name, group in result["groups"][attribute].items()}
    judged = {name: rows for name, rows in sizes.items() if name not in found["not_judged"]} or sizes
    tested = found["test_rows"] / max(sum(sizes.values()), 1)
    everyone = sum(judged.values()) * tested
    errors = [
        np.sqrt(auc_variance(float(found["auc"]["mean"] or 0.5), rows * tested, everyone - rows * tested))
        for rows in judged.values()
    ]
    return float(np.mean(errors)) ** 2


def _judged(difference: Difference, adjusted: float | None) -> Judgement:
    if difference.p_value is None or adjusted is None:
        return "not known"
    if adjusted < LEVEL:
        return "more than noise"
    return "perhaps" if difference.p_value < LEVEL else "no more than noise"


def _dropped(first: Result, second: Result, pairs: Sequence[tuple[str, str]]) -> Iterator[DroppedChange]:
    """Features both audits have, dropped in one of them and not in the other under the same condition."""
    other = dict(pairs)
    after = {tuple(condition["given"]): condition for condition in second["features"]["conditions"]}
    names = (first["features"]["names"], second["features"]["names"])
    for condition in first["features"]["conditions"]:
        given = tuple(other.get(name, name) for name in condition["given"])
        if given not in after:
            continue
        both = (condition, after[given])
        for feature in names[0]:
            if feature in names[1] and (feature in both[0]["dropped"]) != (feature in both[1]["dropped"]):
                share = [float(one["frequency"][known.index(feature)]) for one, known in zip(both, names, strict=True)]
                seeds = [len(one["values"]) for one in both]
                yield DroppedChange(
                    (tuple(condition["given"]), given), feature, (share[0], share[1]), (seeds[0], seeds[1])
                )


def _method(result: Result, name: str) -> Mapping[str, Any]:
    return next(one for one in result["methods"] if one["name"] == name)


def _leakage(result: Result, method: str, attribute: str) -> Mapping[str, Any]:
    return _method(result, method)["leakage"]["by_attribute"][attribute]["representation"]


def _test_share(result: Result) -> float:
    train, _, test = result["spec"]["settings"]["fractions"]
    return float(test / train)

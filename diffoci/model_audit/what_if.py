"""What thresholds of their own would change for groups: equal rates at the least cost, or nobody worse off.

A rate can be met exactly only with a lot: between two thresholds a share of the people is selected at random. The
best thresholds lie on the upper hull of what a group's thresholds reach (Hardt, Price and Srebro 2016), which is how
fairlearn's ThresholdOptimizer finds them as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from diffoci.inputs import Floats, Ints
from diffoci.model_audit.people import Decided, Model, People
from diffoci.model_audit.result import GroupThreshold, WhatIf
from diffoci.model_audit.spec import ModelSettings

Goal = Literal["selection", "true_positive_rate", "both"]
LAW = (
    "This is a what-if: a rule that looks at somebody's group when it decides about them may be unlawful, even where "
    "it means well. Ask a lawyer before using one."
)
MOST_THRESHOLDS = 5000  # looked at in a group
_GRID = np.linspace(0, 1, 1001)


@dataclass(frozen=True, eq=False)
class _Reached:
    """What every threshold of one group reaches, from nobody selected to everybody."""

    name: str
    people: int
    positives: int
    threshold: Floats
    selected: Floats
    right: Floats

    @property
    def selection(self) -> Floats:
        return self.selected / self.people

    @property
    def true_positives(self) -> Floats:
        return self.right / max(self.positives, 1)

    @property
    def false_positives(self) -> Floats:
        return (self.selected - self.right) / max(self.people - self.positives, 1)

    @property
    def correct(self) -> Floats:
        """How many people are decided rightly."""
        return self.right + (self.people - self.positives) - (self.selected - self.right)


def what_if(
    people: People, model: Model, decision: Decided, attribute: str, settings: ModelSettings
) -> tuple[WhatIf, ...]:
    """Every goal that can be met for the judged groups of an attribute."""
    if model.score is None or model.scale == "quantity" or attribute not in people.groups or decision.selected is None:
        return ()
    groups = people.grouped((attribute,))
    size = np.bincount(groups.codes, minlength=len(groups))
    members = [np.flatnonzero(groups.codes == k) for k in range(len(groups)) if size[k] >= settings.minimum]
    names = [groups.labels[k] for k in range(len(groups)) if size[k] >= settings.minimum]
    if len(members) < 2:
        return ()
    label = people.two_classes
    none = np.zeros(len(people), dtype=np.int64)
    reached = [
        _reached(name, model.score[rows], (none if label is None else label)[rows])
        for name, rows in zip(names, members, strict=True)
    ]
    selected = decision.selected
    now = None if label is None else float(np.mean(np.concatenate([selected[rows] == label[rows] for rows in members])))
    found = [_levelled(reached, [selected[rows] for rows in members], label is not None, now, model, members, label)]
    if label is not None:
        chosen = [selected[rows] for rows in members]
        scores = [model.score[rows] for rows in members]
        both = all(0 < one.positives < one.people for one in reached)  # else a group has no such rate
        goals: tuple[Goal, ...] = ("selection", "true_positive_rate", "both") if both else ("selection",)
        found += [_equalised(goal, reached, scores, chosen, now) for goal in goals]
    return tuple(found)


def _reached(name: str, score: Floats, label: Ints) -> _Reached:
    values, place = np.unique(score, return_inverse=True)
    people = np.cumsum(np.bincount(place, minlength=len(values))[::-1])
    positives = np.cumsum(np.bincount(place, weights=label, minlength=len(values))[::-1])
    # Of a million different scores some thousands, evenly many people apart, are thresholds enough.
    wanted = np.searchsorted(people, np.linspace(0, len(score), MOST_THRESHOLDS)[1:])
    kept = np.arange(len(values)) if len(values) <= MOST_THRESHOLDS else np.unique(wanted)
    return _Reached(
        name=name,
        people=len(score),
        positives=int(label.sum()),
        threshold=np.concatenate([[np.inf], values[::-1][kept]]),
        selected=np.concatenate([[0.0], people[kept]]),
        right=np.concatenate([[0.0], positives[kept]]),
    )


def _hull(across: Floats, up: Floats) -> Ints:
    """Positions of the points of the upper hull, from left to right."""
    kept: list[int] = []
    x, y = across.tolist(), up.tolist()  # one by one, plain numbers are several times as fast as those of an array
    for k in np.lexsort((up, across)).tolist():
        while kept and x[k] == x[kept[-1]]:
            kept.pop()
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (x[b] - x[a]) * (y[k] - y[a]) - (y[b] - y[a]) * (x[k] - x[a]) < 0:
                break
            kept.pop()
        kept.append(k)
    return np.array(kept, dtype=np.int64)


def _equalised(
    goal: Goal, reached: Sequence[_Reached], scores: Sequence[Floats], chosen: Sequence[Ints], now: float | None
) -> WhatIf:
    total = sum(one.people for one in reached)
    if goal == "both":
        # Every group can reach whatever lies below its hull, by selecting some people at random.
        hulls = [_hull(one.false_positives, one.true_positives) for one in reached]
        lines = [
            np.interp(_GRID, one.false_positives[hull], one.true_positives[hull])
            for one, hull in zip(reached, hulls, strict=True)
        ]
        lowest = np.min(lines, axis=0)
        positives = sum(one.positives for one in reached)
        correct = positives * lowest + (total - positives) * (1 - _GRID)
        best = int(np.argmax(correct))
        rules = [
            _mixed(one, hull, one.false_positives, _GRID[best], float(lowest[best]))
            for one, hull in zip(reached, hulls, strict=True)
        ]
    else:
        along = [one.selection if goal == "selection" else one.true_positives for one in reached]
        hulls = [_hull(x, one.correct) for x, one in zip(along, reached, strict=True)]
        lines = [
            np.interp(_GRID, x[hull], one.correct[hull]) for x, one, hull in zip(along, reached, hulls, strict=True)
        ]
        correct = np.sum(lines, axis=0)
        best = int(np.argmax(correct))
        rules = [_between(one, hull, x, float(_GRID[best])) for x, one, hull in zip(along, reached, hulls, strict=True)]
    gained, lost = _moved(rules, scores, chosen)
    return WhatIf(
        goal=goal,
        groups=tuple(rules),
        accuracy=float(correct[best] / total),
        accuracy_now=now,
        newly_selected=gained,
        no_longer_selected=lost,
    )


def _between(one: _Reached, hull: Ints, x: Floats, at: float) -> GroupThreshold:
    """The two thresholds around a point of the hull, and the share of people between them to select."""
    right = int(np.clip(np.searchsorted(x[hull], at), 1, len(hull) - 1)) if len(hull) > 1 else 0
    left = max(right - 1, 0)
    a, b = hull[left], hull[right]
    span = x[b] - x[a]
    share = float(np.clip((at - x[a]) / span, 0, 1)) if span > 0 else 1.0
    return _rule(one, int(a), int(b), share)


def _mixed(one: _Reached, hull: Ints, x: Floats, at: float, wanted: float) -> GroupThreshold:
    """A point below the hull: the thresholds of the hull above it, and a lot for as many people as lead down to it."""
    rule = _between(one, hull, x, at)
    above = float(np.interp(at, x[hull], one.true_positives[hull]))
    by_lot = float(np.clip((above - wanted) / (above - at), 0, 1)) if above > at else 0.0
    selection = (wanted * one.positives + at * (one.people - one.positives)) / one.people
    return GroupThreshold(
        group=rule.group,
        high=rule.high,
        low=rule.low,
        share=rule.share,
        by_lot=by_lot,
        selection_rate=float(selection),
        true_positive_rate=wanted,
        false_positive_rate=float(at),
    )


def _rule(one: _Reached, a: int, b: int, share: float) -> GroupThreshold:
    def mixed(values: Floats) -> float:
        return float(np.clip((1 - share) * values[a] + share * values[b], 0, 1))

    return GroupThreshold(
        group=one.name,
        high=float(one.threshold[a]) if np.isfinite(one.threshold[a]) else None,
        low=float(one.threshold[b]) if np.isfinite(one.threshold[b]) else None,
        share=share,
        selection_rate=mixed(one.selection),
        true_positive_rate=mixed(one.true_positives) if one.positives else None,
        false_positive_rate=mixed(one.false_positives) if one.positives < one.people else None,
    )


def _moved(rules: Sequence[GroupThreshold], scores: Sequence[Floats], chosen: Sequence[Ints]) -> tuple[int, int]:
    """How many people, in the mean over the lot, are newly selected and no longer selected."""
    gained = lost = 0.0
    for rule, score, selected in zip(rules, scores, chosen, strict=True):
        high = np.inf if rule.high is None else rule.high
        low = np.inf if rule.low is None else rule.low
        chance = np.where(score >= high, 1.0, np.where(score >= low, rule.share, 0.0))
        chance = (1 - rule.by_lot) * chance + rule.by_lot * (rule.false_positive_rate or 0.0)
        gained += float(chance[selected == 0].sum())
        lost += float((1 - chance)[selected == 1].sum())
    return round(gained), round(lost)


def _levelled(
    reached: Sequence[_Reached],
    chosen: Sequence[Ints],
    labelled: bool,
    now: float | None,
    model: Model,
    members: Sequence[Ints],
    label: Ints | None,
) -> WhatIf:
    """Every group is selected as often as the one selected most: thresholds only go down, so nobody loses."""
    floor = max(float(selected.mean()) for selected in chosen)
    rules, gained, right, total = [], 0, 0, 0
    for one, selected, rows in zip(reached, chosen, members, strict=True):
        place = int(np.argmax(one.selection >= floor - 1e-12))
        score = np.asarray(model.score)[rows]
        after = (selected == 1) | (score >= one.threshold[place]) if selected.mean() < floor else selected == 1
        gained += int(after.sum() - selected.sum())
        total += len(rows)
        positives = np.zeros(len(rows)) if label is None else label[rows]
        right += int((after == (positives == 1)).sum())
        negatives = int((positives == 0).sum())
        rules.append(
            GroupThreshold(
                group=one.name,
                high=float(one.threshold[place]) if np.isfinite(one.threshold[place]) else None,
                low=None,
                share=0.0,
                selection_rate=float(after.mean()),
                true_positive_rate=float(after[positives == 1].mean()) if labelled and one.positives else None,
                false_positive_rate=float(after[positives == 0].mean()) if labelled and negatives else None,
            )
        )
    return WhatIf(
        goal="levelling_up",
        groups=tuple(rules),
        accuracy=right / total if labelled else None,
        accuracy_now=now,
        newly_selected=gained,
        no_longer_selected=0,
    )

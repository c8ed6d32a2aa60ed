"""Rates along a continuous attribute, such as age: a curve with its band, and the stretch that differs most.

No groups are asked of anybody. A point of the curve is the rate among the people nearest in the attribute. The worst
stretch is found by looking at every one between cuts of equal size; shuffling the attribute says how far the worst of
as many looks departs by chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from diffoci.audit.decisions.group_rates import Successes
from diffoci.audit.decisions.intervals import rate, wilson_limits
from diffoci.audit.decisions.resampling import shuffled_successes
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.people import Decided, Model, People
from diffoci.model_audit.rates import MODEL_RATES, known_rates
from diffoci.model_audit.result import Curve, CurvePoint, WorstStretch
from diffoci.model_audit.spec import ModelSettings

SHOWN = ("selection_rate", "true_positive_rate", "false_positive_rate", "accuracy", "base_rate")
_POINTS = 41
_CUTS = 16
_SHUFFLES = 999


def curves(
    people: People, model: Model, decision: Decided, attribute: str, settings: ModelSettings
) -> tuple[Curve, ...]:
    """Every rate that can be counted, along an attribute that is a number."""
    if attribute not in people.numbers:
        return ()
    order = np.argsort(people.numbers[attribute].to_numpy(), kind="stable")
    along = people.numbers[attribute].to_numpy()[order]
    if people.outcome is not None and people.outcome.kind == "number" and model.score is not None:
        over = (model.score > people.outcome.values)[order].astype(np.int64)
        found = _curve("over_predicted", along, over, np.ones_like(over), settings)
        return () if found is None else (found,)
    counted = [
        _curve(name, along, *_members(people, decision, MODEL_RATES[name], order), settings)
        for name in known_rates(people, decision)
        if name in SHOWN
    ]
    return tuple(one for one in counted if one is not None)


def _members(people: People, decision: Decided, successes: Successes, order: Ints) -> tuple[Ints, Ints]:
    """Who counts in a rate, and who is a success, person by person."""
    none = np.zeros(len(people), dtype=np.int64)
    label = none if people.two_classes is None else people.two_classes
    selected = none if decision.selected is None else decision.selected
    table = np.zeros((2, 2, 2, 2), dtype=np.int64)
    table[np.repeat([0, 1], 2), np.tile([0, 1], 2), np.repeat([0, 1], 2), np.tile([0, 1], 2)] = 1
    k, n = successes(table)
    cell = label[order], selected[order]
    return k[cell], n[cell]


def _curve(name: str, along: Floats, success: Ints, counts: Ints, settings: ModelSettings) -> Curve | None:
    inside = counts.astype(bool)
    along, success = along[inside], success[inside]
    if len(along) < 4 * settings.minimum:
        return None
    return Curve(rate=name, points=tuple(_points(along, success, settings)), worst=_worst(along, success, settings))


def _points(along: Floats, success: Ints, settings: ModelSettings) -> Iterator[CurvePoint]:
    """The rate among the people nearest to evenly spaced quantiles."""
    width = min(len(along), max(settings.minimum, len(along) // 10))
    running = np.concatenate([[0], np.cumsum(success)])
    for at in np.unique(np.quantile(along, np.linspace(0.01, 0.99, _POINTS))):
        begin = int(np.clip(np.searchsorted(along, at) - width // 2, 0, len(along) - width))
        # Equal values belong together: one side of a tie must not decide the rate.
        begin = int(np.searchsorted(along, along[begin], side="left"))
        end = int(np.searchsorted(along, along[min(begin + width, len(along)) - 1], side="right"))
        k, n = int(running[end] - running[begin]), end - begin
        low, high = wilson_limits(k, n, confidence=settings.confidence)
        yield CurvePoint(float(at), k / n, float(low), float(high), n)


def _worst(along: Floats, success: Ints, settings: ModelSettings) -> WorstStretch | None:
    edges = np.unique(np.quantile(along, np.linspace(0, 1, _CUTS + 1)))
    cut = np.clip(np.searchsorted(edges, along, side="right") - 1, 0, len(edges) - 2)
    n = np.bincount(cut, minlength=len(edges) - 1)
    k = np.bincount(cut, weights=success, minlength=len(edges) - 1).astype(np.int64)
    if len(n) < 3 or not 0 < k.sum() < n.sum():
        return None
    stretches = [(a, b) for a in range(len(n)) for b in range(a + 1, len(n) + 1) if b - a < len(n)]
    first, last = np.array(stretches).T
    away = _departures(k[None], n, first, last)[0]
    worst = int(np.argmax(away))
    drawn = shuffled_successes(k, n, replicates=_SHUFFLES, rng=np.random.default_rng(settings.seed))
    furthest = _departures(drawn, n, first, last).max(1)
    a, b = stretches[worst]
    here, there = (int(k[a:b].sum()), int(n[a:b].sum())), (int(k.sum() - k[a:b].sum()), int(n.sum() - n[a:b].sum()))
    inside, outside = (rate(*one, confidence=settings.confidence) for one in (here, there))
    if inside is None or outside is None:
        return None
    p_value = (1 + int((furthest >= away[worst] - 1e-12).sum())) / (1 + _SHUFFLES)
    return WorstStretch(
        low=float(edges[a]), high=float(edges[b]), inside=inside, outside=outside, p_value=float(p_value)
    )


def _departures(k: Ints, n: Ints, first: Ints, last: Ints) -> Floats:
    """How far each stretch lies from the rest, in standard errors of no difference; the first axis are draws."""
    running = np.concatenate([np.zeros((len(k), 1)), np.cumsum(k, axis=1)], axis=1)
    people = np.concatenate([[0], np.cumsum(n)])
    inside, size = running[:, last] - running[:, first], people[last] - people[first]
    total, share = int(n.sum()), float(k[0].sum()) / int(n.sum())
    rest = total - size
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = inside / size - (running[:, -1:] - inside) / rest
        away = np.abs(gap) / np.sqrt(share * (1 - share) * (1 / size + 1 / rest))
    return np.where(np.isfinite(away), away, 0.0)

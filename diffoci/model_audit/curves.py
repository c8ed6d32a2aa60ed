"""Rates and errors along a continuous attribute, such as age: a curve with its band, and the stretch that differs most.

No groups are asked of anybody. A point of the curve is the rate, or the mean, among the people nearest in the
attribute. The worst stretch is found by looking at every one between cuts of equal size; shuffling the attribute says
how far the worst of as many looks departs by chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from diffoci.audit.decisions.group_rates import Successes
from diffoci.audit.decisions.resampling import shuffled_successes
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.errors import error_measures, mean_of
from diffoci.model_audit.people import Decided, Model, People
from diffoci.model_audit.rate_names import MODEL_RATES
from diffoci.model_audit.rates import known_rates
from diffoci.model_audit.result import Curve, CurvePoint, WorstStretch
from diffoci.model_audit.spec import ModelSettings

SHOWN = ("selection_rate", "true_positive_rate", "false_positive_rate", "accuracy", "base_rate")
_POINTS = 41
_CUTS = 16
SHUFFLES = 999
# Of more people sums within cuts are drawn from the normal distribution, which sums of so many have when shuffled.
_MOST_SHUFFLED = 5000


def curves(
    people: People, model: Model, decision: Decided, attribute: str, settings: ModelSettings
) -> tuple[Curve, ...]:
    """Every rate that can be counted, or every error of a predicted quantity, along an attribute that is a number."""
    if attribute not in people.numbers:
        return ()
    order = np.argsort(people.numbers[attribute].to_numpy(), kind="stable")
    along = people.numbers[attribute].to_numpy()[order]
    found = []
    if people.outcome is not None and people.outcome.kind == "number" and model.score is not None:
        measures = error_measures((model.score - people.outcome.values)[order])
        found = [_curve(name, along, values, settings) for name, values in measures.items()]
    else:
        for name in known_rates(people, decision):
            if name in SHOWN:
                success, counted = _members(people, decision, MODEL_RATES[name], order)
                inside = counted.astype(bool)
                found.append(_curve(name, along[inside], success[inside].astype(bool), settings))
    return tuple(one for one in found if one is not None)


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


def _curve(name: str, along: Floats, values: np.ndarray, settings: ModelSettings) -> Curve | None:
    """Along a sorted attribute: the share of people of whom something is true, or the mean of a quantity."""
    if len(along) < 4 * settings.minimum:
        return None
    return Curve(rate=name, points=tuple(_points(along, values, settings)), worst=_worst(along, values, settings))


def _points(along: Floats, values: np.ndarray, settings: ModelSettings) -> Iterator[CurvePoint]:
    """The mean among the people nearest to evenly spaced quantiles."""
    width = min(len(along), max(settings.minimum, len(along) // 10))
    for at in np.unique(np.quantile(along, np.linspace(0.01, 0.99, _POINTS))):
        begin = int(np.clip(np.searchsorted(along, at) - width // 2, 0, len(along) - width))
        # Equal values belong together: one side of a tie must not decide the rate.
        begin = int(np.searchsorted(along, along[begin], side="left"))
        end = int(np.searchsorted(along, along[min(begin + width, len(along)) - 1], side="right"))
        found = mean_of(values[begin:end], settings.confidence)
        yield CurvePoint(float(at), found.value, found.low, found.high, end - begin)


def _worst(along: Floats, values: np.ndarray, settings: ModelSettings) -> WorstStretch | None:
    edges = np.unique(np.quantile(along, np.linspace(0, 1, _CUTS + 1)))
    cut = np.clip(np.searchsorted(edges, along, side="right") - 1, 0, len(edges) - 2)
    n, spread = np.bincount(cut, minlength=len(edges) - 1), float(values.std())
    if len(n) < 3 or spread == 0:
        return None
    stretches = [(a, b) for a in range(len(n)) for b in range(a + 1, len(n) + 1) if b - a < len(n)]
    first, last = np.array(stretches).T
    sums = np.bincount(cut, weights=values, minlength=len(n)).astype(np.float64)
    away = _departures(sums[None], n, first, last, spread)[0]
    # A stretch at one end departs from the rest as the rest does from it: that of fewer people is named.
    furthest_out = np.flatnonzero(away >= away.max() - 1e-9)
    worst = int(furthest_out[np.argmin([n[a:b].sum() for a, b in (stretches[k] for k in furthest_out)])])
    furthest = _departures(_shuffled(values, cut, n, settings), n, first, last, spread).max(1)
    a, b = stretches[worst]
    inside = (a <= cut) & (cut < b)
    if inside.all() or not inside.any():
        return None
    return WorstStretch(
        low=float(edges[a]),
        high=float(edges[b]),
        inside=mean_of(values[inside], settings.confidence),
        outside=mean_of(values[~inside], settings.confidence),
        people=int(inside.sum()),
        p_value=float((1 + int((furthest >= away[worst] - 1e-9).sum())) / (1 + SHUFFLES)),
    )


def _shuffled(values: np.ndarray, cut: Ints, n: Ints, settings: ModelSettings) -> Floats:
    """Sums within cuts as if the attribute were shuffled, one line a draw."""
    rng = np.random.default_rng(settings.seed)
    if values.dtype == bool:
        k = np.bincount(cut, weights=values, minlength=len(n)).astype(np.int64)
        return shuffled_successes(k, n, replicates=SHUFFLES, rng=rng).astype(np.float64)
    if len(values) <= _MOST_SHUFFLED:
        drawn = (rng.permutation(values) for _ in range(SHUFFLES))
        return np.array([np.bincount(cut, weights=one, minlength=len(n)) for one in drawn])
    noise = rng.standard_normal((SHUFFLES, len(n))) * np.sqrt(n) * values.std()
    return np.asarray(n * values.mean() + noise - noise.sum(1, keepdims=True) * n / n.sum())


def _departures(sums: Floats, n: Ints, first: Ints, last: Ints, spread: float) -> Floats:
    """How far each stretch lies from the rest, in standard errors of no difference; the first axis are draws."""
    running = np.concatenate([np.zeros((len(sums), 1)), np.cumsum(sums, axis=1)], axis=1)
    people = np.concatenate([[0], np.cumsum(n)])
    inside, size = running[:, last] - running[:, first], people[last] - people[first]
    rest = int(n.sum()) - size
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = inside / size - (running[:, -1:] - inside) / rest
        away = np.abs(gap) / (spread * np.sqrt(1 / size + 1 / rest))
    return np.where(np.isfinite(away), away, 0.0)

"""Rates of a model by group: selection, errors, calibration, AUC, each with its interval; groups against another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy import stats

from diffoci.audit.decisions.decide import compare_counts
from diffoci.audit.decisions.disparities import Disparity
from diffoci.audit.decisions.four_fifths import GroupRatio
from diffoci.audit.decisions.grouping import Grouping
from diffoci.audit.decisions.intervals import Interval, Rate, rate, wilson_limits
from diffoci.audit.decisions.pair_limits import difference_limits_to, ratio_limits_to
from diffoci.audit.decisions.weighting import OVERALL, Weighted, WeightedCounts, WeightedGap, weigh
from diffoci.audit.noise import auc_variance
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.errors import errors_of
from diffoci.model_audit.people import Decided, Model, People
from diffoci.model_audit.rate_names import MODEL_RATES, WITHOUT_LABEL, allowed_rates
from diffoci.model_audit.result import Against, Counts, ModelComparison, ModelGroup, ScoreBin
from diffoci.model_audit.spec import ModelSettings

MOST_VALUES = 20  # a score of no more values has a bin for each
_BINS = 10


def known_rates(people: People, decision: Decided) -> tuple[str, ...]:
    """Names of the rates that these columns allow."""
    return allowed_rates(labelled=people.two_classes is not None, deciding=decision.selected is not None)


def everyone(people: People, model: Model, decision: Decided, settings: ModelSettings) -> ModelGroup:
    """All people as one group."""
    whole = Grouping((), ((),), np.zeros(len(people), dtype=np.int64))
    counted = weighted_counts(whole, people, decision, settings)
    return _groups(whole, people, model, decision, settings, counted)[0]


def comparisons(
    people: People, model: Model, decision: Decided, settings: ModelSettings
) -> tuple[ModelComparison, ...]:
    """Compare groups by every attribute, and by all of them crossed."""
    if not len(people.groups.columns):
        return ()
    return tuple(_compare(groups, people, model, decision, settings) for groups in people.groupings)


def at_threshold(
    groups: Grouping, people: People, model: Model, threshold: float, settings: ModelSettings
) -> ModelComparison:
    """Compare groups as if selected were whose score is at least the threshold: counts only, at once for a slider."""
    selected = (np.asarray(model.score) >= threshold).astype(np.int64)
    return _compare(groups, people, None, Decided(selected, "threshold", threshold), settings)


def _compare(
    groups: Grouping, people: People, model: Model | None, decision: Decided, settings: ModelSettings
) -> ModelComparison:
    counted = weighted_counts(groups, people, decision, settings)
    found = _groups(groups, people, model, decision, settings, counted)
    judged = [k for k, group in enumerate(found) if group.judged]
    between: dict[str, Disparity] = {}
    ratios: tuple[GroupRatio, ...] = ()
    against: tuple[Against, ...] = ()
    if decision.selected is not None and len(judged) > 1:
        counts, names = _counts(groups, people, decision)[judged], [found[k].label for k in judged]
        between, ratios, against = compare_judged(counts, names, people.two_classes is not None, settings)
    return ModelComparison(
        attributes=groups.attributes,
        groups=found,
        between=between,
        four_fifths=ratios,
        against=against,
        weighted=_weighted_gaps(counted, against, judged, people, decision),
    )


def weighted_counts(
    groups: Grouping, people: People, decision: Decided, settings: ModelSettings
) -> WeightedCounts | None:
    """People of the population by group, outcome and decision; None where rows have no weights, or nothing to count."""
    if people.weights is None or not known_rates(people, decision):
        return None
    none = np.zeros(len(people), dtype=np.int64)
    return weigh(
        groups,
        none if people.two_classes is None else people.two_classes,
        none if decision.selected is None else decision.selected,
        people.weights,
        replicates=settings.replicates,
        seed=settings.seed,
        confidence=settings.confidence,
    )


def _weighted_gaps(
    counted: WeightedCounts | None, against: Sequence[Against], judged: Sequence[int], people: People, decision: Decided
) -> tuple[WeightedGap, ...]:
    """Against whom groups are held unweighted."""
    if counted is None or not against:
        return ()
    reference = None if against[0].reference == OVERALL else counted.groups.index(against[0].reference)
    known = {name: MODEL_RATES[name] for name in known_rates(people, decision)}
    return tuple(counted.gaps(known, judged, reference))


def compare_judged(
    counts: Ints, names: Sequence[str], labelled: bool, settings: ModelSettings
) -> tuple[dict[str, Disparity], tuple[GroupRatio, ...], tuple[Against, ...]]:
    """How judged groups compare, from people by group, outcome and decision; the same counts, the same answer."""
    every, ratios = compare_counts(counts, names, settings.of_decisions)
    between = {name: one for name, one in every.items() if labelled or name.startswith("demographic_parity")}
    known = tuple(MODEL_RATES) if labelled else WITHOUT_LABEL
    return between, ratios, tuple(_against(counts, names, known, settings))


def _counts(groups: Grouping, people: People, decision: Decided) -> Ints:
    label = people.two_classes if people.two_classes is not None else np.zeros(len(people), dtype=np.int64)
    selected = decision.selected if decision.selected is not None else np.zeros(len(people), dtype=np.int64)
    return groups.counts(label, selected, sizes=(2, 2))


def _groups(
    groups: Grouping,
    people: People,
    model: Model | None,
    decision: Decided,
    settings: ModelSettings,
    counted: WeightedCounts | None,
) -> tuple[ModelGroup, ...]:
    """Every group's rates; without a model, nothing that depends on scores."""
    counts, known = _counts(groups, people, decision), known_rates(people, decision)
    judged = counts.sum((1, 2)) >= settings.minimum
    weighted: list[dict[str, Weighted]] = [{} for _ in range(len(groups))]
    if counted is not None:
        weighted = counted.rates({name: MODEL_RATES[name] for name in known})
    curves: list[tuple[ScoreBin, ...]] = [()] * len(groups)
    areas: list[Interval | None] = [None] * len(groups)
    errors: list[dict[str, Interval]] = [{} for _ in range(len(groups))]
    if model is not None:
        curves = calibration(groups, people, model, settings)
        areas = _areas(groups, people, model, settings)
        errors = errors_of(groups, people, model, settings)
    return tuple(
        ModelGroup(
            label=name or OVERALL,
            levels=dict(zip(groups.attributes, groups.levels[k], strict=True)),
            n=int(counts[k].sum()),
            judged=bool(judged[k]),
            note="" if judged[k] else small_note(int(counts[k].sum())),
            counts=None if not known else _plain(counts[k]),
            rates=_rates(counts[k], known, settings) if judged[k] else {},
            weighted=weighted[k] if judged[k] else {},
            auc=areas[k] if judged[k] else None,
            errors=errors[k] if judged[k] else {},
            calibration=curves[k] if judged[k] else (),
        )
        for k, name in enumerate(groups.labels)
    )


def small_note(people: int) -> str:
    """What is said of a group too small to be judged."""
    return f"{people} {'person' if people == 1 else 'people'}: not judged"


def _plain(counts: Ints) -> Counts:
    (a, b), (c, d) = counts.tolist()
    return (a, b), (c, d)


def _rates(counts: Ints, names: Sequence[str], settings: ModelSettings) -> dict[str, Rate]:
    found = {}
    for name in names:
        k, n = MODEL_RATES[name](counts)
        one = rate(int(k), int(n), confidence=settings.confidence)
        if one is not None:
            found[name] = one
    return found


def rates_from_counts(counts: Counts, names: Sequence[str], confidence: float) -> dict[str, Rate]:
    """The rates that follow from people by outcome and decision.

    >>> rates_from_counts(((60, 20), (5, 15)), ["true_positive_rate"], 0.95)["true_positive_rate"].value
    0.75
    """
    return _rates(np.array(counts), names, ModelSettings(confidence=confidence))


def _against(counts: Ints, names: Sequence[str], known: Sequence[str], settings: ModelSettings) -> list[Against]:
    """Every group and rate against the reference, at a confidence that all groups of a rate share."""
    critical = float(stats.norm.isf((1 - settings.confidence) / 2 / max(1, len(names) - 1)))
    wanted = settings.reference
    if wanted not in ("largest", "overall") and wanted not in names:
        wanted = "largest"  # the name of a group of another attribute
    found = []
    for name in known:
        k, n = MODEL_RATES[name](counts)
        if wanted == "overall":
            found += _against_everyone(name, names, k, n, critical)
            continue
        reference = int(np.argmax(counts.sum((1, 2)))) if wanted == "largest" else list(names).index(wanted)
        have = np.flatnonzero(n)
        if reference not in have:
            continue
        place = int(np.searchsorted(have, reference))
        low, high = difference_limits_to(place, k[have], n[have], critical=critical)
        ratios = ratio_limits_to(place, k[have], n[have], critical=critical) if k[reference] else None
        share = k[have] / n[have]
        for j, group in enumerate(have.tolist()):
            if group != reference:
                ratio = None if ratios is None else _ratio(share[j] / share[place], ratios[0][j], ratios[1][j])
                difference = Interval(float(share[j] - share[place]), float(low[j]), float(high[j]))
                found.append(
                    Against(
                        rate=name, group=names[group], reference=names[reference], difference=difference, ratio=ratio
                    )
                )
    return found


def _ratio(value: float, low: float, high: float) -> Interval | None:
    """None where few people leave the ratio without an upper limit."""
    return Interval(float(value), float(min(low, value)), float(max(high, value))) if np.isfinite(high) else None


def _against_everyone(name: str, names: Sequence[str], k: Ints, n: Ints, critical: float) -> list[Against]:
    """A group is part of everyone: it differs by what it differs from the rest, times the rest's share."""
    found = []
    for j, group in enumerate(names):
        rest_k, rest_n = int(k.sum() - k[j]), int(n.sum() - n[j])
        if not n[j] or not rest_n:
            continue
        pair_k, pair_n, rest = np.array([k[j], rest_k]), np.array([n[j], rest_n]), rest_n / int(n.sum())
        low, high = difference_limits_to(1, pair_k, pair_n, critical=critical)
        overall = k.sum() / n.sum()
        ratio = None
        if rest_k:
            least, most = ratio_limits_to(1, pair_k, pair_n, critical=critical)
            ratio = _ratio(k[j] / n[j] / overall, *(x / ((1 - rest) * x + rest) for x in (least[0], most[0])))
        value = float(k[j] / n[j] - overall)
        difference = Interval(value, float(rest * low[0]), float(rest * high[0]))
        found.append(Against(rate=name, group=group, reference=OVERALL, difference=difference, ratio=ratio))
    return found


def _areas(groups: Grouping, people: People, model: Model, settings: ModelSettings) -> list[Interval | None]:
    """Within each group: how often somebody with the outcome scores above somebody without it."""
    label = people.two_classes
    if model.score is None or label is None:
        return [None] * len(groups)
    # Small whole numbers are sorted in one pass, and the order within a group stays that of the scores.
    order = model.order[np.argsort(groups.codes[model.order].astype(np.int16), kind="stable")]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(groups.codes, minlength=len(groups)))])
    return [
        _area(model.score[order[begin:end]], label[order[begin:end]], settings.confidence)
        for begin, end in pairwise(bounds)
    ]


def _area(score: Floats, label: Ints, confidence: float) -> Interval | None:
    """AUC of sorted scores, with Hanley and McNeil's interval."""
    ones = int(label.sum())
    if not 0 < ones < len(label):
        return None
    starts = np.flatnonzero(np.r_[True, score[1:] != score[:-1]])
    size = np.diff(np.r_[starts, len(score)])
    rank = np.repeat(starts + (size + 1) / 2, size)
    area = float((rank[label == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(label) - ones)))
    return area_interval(area, ones, len(label) - ones, confidence)


def area_interval(area: float, ones: int, zeros: int, confidence: float) -> Interval:
    """An AUC with the interval that so many people with the outcome, and without it, give it."""
    reach = float(stats.norm.ppf(0.5 + confidence / 2)) * auc_variance(area, ones, zeros) ** 0.5
    return Interval(area, max(0.0, area - reach), min(1.0, area + reach))


def calibration(groups: Grouping, people: People, model: Model, settings: ModelSettings) -> list[tuple[ScoreBin, ...]]:
    """How often it happened, by score and group: a bin for each of a few values, or ten of them."""
    label = people.two_classes
    if model.score is None or label is None:
        return [()] * len(groups)
    place, low, high = _score_bins(model)
    shape = (len(groups), len(low))
    cell = np.ravel_multi_index((groups.codes, place), shape)
    people_in, positives, total = (
        np.bincount(cell, weights=values, minlength=shape[0] * shape[1]).reshape(shape)
        for values in (None, label, model.score)
    )
    least, most = wilson_limits(positives, people_in, confidence=settings.confidence)
    return [
        tuple(
            ScoreBin(
                float(low[b]),
                float(high[b]),
                float(total[g, b] / people_in[g, b]),
                Rate(
                    float(positives[g, b] / people_in[g, b]),
                    float(least[g, b]),
                    float(most[g, b]),
                    int(positives[g, b]),
                    int(people_in[g, b]),
                ),
            )
            for b in np.flatnonzero(people_in[g])
        )
        for g in range(len(groups))
    ]


def _score_bins(model: Model) -> tuple[Ints, Floats, Floats]:
    """Everybody's bin, and the limits of each."""
    score = np.asarray(model.score)
    values, place = model.values
    if len(values) <= MOST_VALUES:
        return place, values, values
    if model.scale == "probability":
        edges = np.linspace(0, 1, _BINS + 1)
    else:
        edges = np.unique(np.quantile(score, np.linspace(0, 1, _BINS + 1)))
    place = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, len(edges) - 2)
    return place, edges[:-1], edges[1:]

"""Verdicts: whether a sensitive attribute can be guessed above chance, or too few people were seen to say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:  # a list of runs needs no pandas, which comes with it
    from diffoci.inputs import Floats, Ints

Verdict = Literal["detected", "not detected", "insufficient evidence"]

# The rule of a verdict; every sentence that quotes one of these numbers reads it here.
# A group of fewer test rows is not judged.
FEWEST_ROWS = 30
# The share of shuffled labels above the limit: so often "detected" is wrong in audits of harmless data.
LEVEL = 0.01
# Chance alone reaching this high means that a leak worth worrying about could not have been seen.
WIDEST_CHANCE = 0.65

_MOST_KEPT = 1 << 26  # bytes of shuffled labels


@dataclass(frozen=True)
class Chance:
    """What shuffled labels give for the mean AUC over splits: its lower and upper limits."""

    low: float
    high: float


@dataclass(frozen=True)
class SplitScores:
    """One split's test rows (positions in the data) and the probabilities a probe gave them."""

    rows: Ints
    probability: Floats


def judged_classes(code: Ints, tests: Sequence[SplitScores], classes: int) -> list[int]:
    """Groups with enough distinct test rows, over all splits, to be judged."""
    rows = np.unique(np.concatenate([test.rows for test in tests]))
    count = np.bincount(code[rows], minlength=classes)
    enough = [k for k in range(classes) if count[k] >= FEWEST_ROWS]
    return enough if len(enough) > 1 else []


def aucs(code: Ints, tests: Sequence[SplitScores], judged: Sequence[int]) -> Floats:
    """AUC of every split, the mean over judged groups of one group against the other judged ones."""
    union = np.unique(np.concatenate([test.rows for test in tests]))
    areas: Floats = _areas(code[union][None], _Ranked.of(tests, union, code, judged), judged)[0]
    return areas


def chance(
    code: Ints,
    tests: Sequence[SplitScores],
    judged: Sequence[int],
    *,
    draws: int,
    seed: int = 0,
    taught: float = 0.0,
    one_direction: bool = False,
) -> Chance:
    """Limits of the mean AUC when the labels of the test rows are shuffled.

    Whatever a probe learnt, its scores of test rows know nothing of shuffled labels: refitting it on shuffled data
    gives the same distribution of one split's AUC, at a thousand times the cost (`tests/audit/test_verdicts.py`
    compares them, for one split and for many).

    The AUCs of several splits depend on each other in two ways of the same size: a person tested in both has one label,
    and where a person tested in one split taught another, who was tested there, the reverse may hold as well. Shuffling
    has the first way only, so its covariance counts twice. Test folds share nobody and have the second way alone:
    `taught` is the correlation it gives two of them.
    """
    union = np.unique(np.concatenate([test.rows for test in tests]))
    ranked = _Ranked.of(tests, union, code, judged)
    areas = np.concatenate([_areas(codes, ranked, judged) for codes in _shuffled(code[union], draws, seed)])
    if one_direction:
        means = np.nanmean(_as_taught(areas, tests), axis=1)
        return Chance(*map(float, np.quantile(means, [LEVEL, 1 - LEVEL])))
    means = np.nanmean(areas, axis=1)
    centre, variance = float(means.mean()), float(means.var())
    covariance = max(0.0, variance - float(np.nanvar(areas, axis=0).mean()) / len(tests))
    apart = taught * _disjoint_others(tests) if taught else 0.0
    wider = np.sqrt(1 + covariance / variance + apart) if variance > 0 else 1.0
    low, high = centre + wider * (np.quantile(means, [LEVEL, 1 - LEVEL]) - centre)
    return Chance(float(max(low, 0.0)), float(min(high, 1.0)))


def _as_taught(areas: Floats, tests: Sequence[SplitScores]) -> Floats:
    """The AUCs of folds that are each read in the direction that the others, which share nobody with it, agree on."""
    rows = [set(test.rows.tolist()) for test in tests]
    apart = np.array([[one.isdisjoint(other) for other in rows] for one in rows], dtype=np.float64)
    above = np.nan_to_num(areas - 0.5)
    return np.asarray(0.5 + np.where(above @ apart < 0, -1, 1) * (areas - 0.5))


def _shuffled(labels: Ints, draws: int, seed: int) -> Iterable[Ints]:
    """The labels in random orders, a hundred at a time.

    Every representation of an audit is tested on the same people, so what was drawn for one serves the next, unless
    it is large.
    """
    small = labels.astype(np.min_scalar_type(int(labels.max())))
    drawing = (small.tobytes(), small.dtype.str, draws, seed)
    return _kept(*drawing) if draws * small.nbytes <= _MOST_KEPT else _drawn(*drawing)


def _drawn(labels: bytes, dtype: str, draws: int, seed: int) -> Iterator[Ints]:
    rng, known = np.random.default_rng(seed), np.frombuffer(labels, dtype=dtype)
    for _ in range(max(1, draws // 100)):
        yield rng.permuted(np.tile(known, (100, 1)), axis=1)


@lru_cache(maxsize=2)
def _kept(labels: bytes, dtype: str, draws: int, seed: int) -> tuple[Ints, ...]:
    return tuple(_drawn(labels, dtype, draws, seed))


def _disjoint_others(tests: Sequence[SplitScores]) -> float:
    """With how many other splits one shares nobody, on average."""
    rows = [set(test.rows.tolist()) for test in tests]
    return sum(one.isdisjoint(other) for one in rows for other in rows) / len(rows)


def verdict(mean_auc: float | None, limits: Chance | None) -> Verdict:
    """The verdict on a mean AUC."""
    if mean_auc is None or limits is None or not np.isfinite(mean_auc):
        return "insufficient evidence"
    if mean_auc > limits.high:
        return "detected"
    return "not detected" if limits.high <= WIDEST_CHANCE else "insufficient evidence"


@dataclass(frozen=True)
class _Ranked:
    """For every split: where its test rows stand in the union of all, and the ranks of their scores by class."""

    place: tuple[Ints, ...]
    rank: tuple[Floats, ...]

    @classmethod
    def of(cls, tests: Sequence[SplitScores], union: Ints, code: Ints, judged: Sequence[int]) -> _Ranked:
        place, rank = [], []
        wanted = list(judged) if len(judged) > 2 else [judged[1]]
        for test in tests:
            among = np.isin(code[test.rows], judged)
            place.append(np.searchsorted(union, test.rows[among]))
            given = _among(test.probability[among], judged)
            rank.append(np.stack([_ranks(given[:, k]) for k in wanted], axis=1))
        return cls(tuple(place), tuple(rank))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1, equal values sharing the mean of theirs; scipy's take half a second to load.

    >>> _ranks(np.array([0.3, 0.1, 0.3, 0.9])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    ordered = np.sort(values)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((below + up_to + 1) / 2)


def _among(probability: Floats, judged: Sequence[int]) -> Floats:
    """Probabilities given that it is one of the judged groups: what a probe gives to others says nothing of these."""
    if len(judged) == probability.shape[1]:
        return probability
    inside = probability[:, list(judged)].sum(axis=1, keepdims=True)
    return np.asarray(np.divide(probability, inside, where=inside > 0, out=np.zeros_like(probability)))


def _areas(codes: Ints, ranked: _Ranked, judged: Sequence[int]) -> Floats:
    """AUCs, one line for every labelling in `codes`, one column for every split."""
    wanted = list(judged) if len(judged) > 2 else [judged[1]]
    columns = []
    for place, rank in zip(ranked.place, ranked.rank, strict=True):
        by_class = []
        for k, level in enumerate(wanted):
            inside = (codes[:, place] == level).astype(np.float64)
            ones = inside.sum(axis=1)
            zeros = len(place) - ones
            with np.errstate(invalid="ignore", divide="ignore"):
                by_class.append((inside @ rank[:, k] - ones * (ones + 1) / 2) / (ones * zeros))
        stacked = np.stack(by_class, axis=1)
        seen = np.isfinite(stacked)
        total = np.where(seen, stacked, 0.0).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            columns.append(total / seen.sum(axis=1))
    return np.stack(columns, axis=1)

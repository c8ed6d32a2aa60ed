"""Cut rows into training, validation and test parts that look alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # a list of runs needs no pandas
    import pandas as pd

    from diffoci.data.dataset import Dataset

MIN_ROWS = 10
SMALL_STRATUM = 10
Fractions = tuple[float, ...]
_TRAIN, _VALIDATION, _TEST, _ASIDE = range(4)
_AFTER_TEST = (_VALIDATION, _ASIDE)


@dataclass(frozen=True, eq=False)
class Split:
    """Row positions of the parts, each in increasing order; together they are all rows, once each.

    `aside` are rows for certification and nothing else, where a fourth fraction asks for them.
    """

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray
    seed: int
    aside: np.ndarray | None = None

    @property
    def certification(self) -> np.ndarray:
        """Rows that a certificate rests on: those set aside, else the test rows."""
        return self.test if self.aside is None else self.aside


def split_dataset(
    dataset: Dataset, *, fractions: Fractions = (0.75, 0.15, 0.10), seed: int = 0, fold_rows: int = 0
) -> Split:
    """Split a dataset, stratified on label x sensitive groups where the sizes allow.

    Examples
    --------
    >>> from diffoci.data.sources import load
    >>> split = split_dataset(load("breast-cancer"))
    >>> len(split.train), len(split.validation), len(split.test)
    (427, 85, 57)
    """
    return split_rows(dataset.label, dataset.sensitive, fractions=fractions, seed=seed, fold_rows=fold_rows)


def fold_count(fractions: Sequence[float]) -> int:
    """In how many splits everybody is tested once.

    >>> fold_count((0.75, 0.15, 0.10))
    10
    """
    return max(2, int(1 / fractions[_TEST] + 0.5))


def split_rows(
    label: pd.Series,
    sensitive: pd.DataFrame,
    *,
    fractions: Fractions = (0.75, 0.15, 0.10),
    seed: int = 0,
    fold_rows: int = 0,
) -> Split:
    """Split rows by label and groups into training, validation and test rows, and with a fourth fraction rows aside.

    Every stratum (one label, one combination of groups) of at least ten rows gives each part its share to
    within one row. Smaller strata of one label are pooled, and where even the pool is small, over labels.
    Every class of the label and every group has a row in training, even where it has only one.

    Fewer than `fold_rows` rows are dealt into test folds: the first `fold_count` seeds test different people, and
    together everybody once; the next ones deal anew.
    """
    rows = len(label)
    if rows < MIN_ROWS:
        raise ValueError(f"{rows} rows are too few to split; at least {MIN_ROWS} are needed.")
    if len(fractions) not in (3, 4) or min(fractions) <= 0 or abs(sum(fractions) - 1) > 1e-9:
        raise ValueError(f"Fractions of a split must be above 0 and sum to 1, not {fractions}.")
    strata = _strata(label, sensitive)
    part = np.zeros(rows, dtype=np.int8)
    if rows < fold_rows:
        test = _fold(strata, fold_count(fractions), seed)
        rest = np.flatnonzero(~test)
        part[test] = _TEST
        others = {code: fractions[code] / (1 - fractions[_TEST]) for code in _AFTER_TEST[: len(fractions) - 2]}
        part[rest] = _parts(strata[rest], others, np.random.default_rng([seed, 1]))
    else:
        shares = {code: fractions[code] for code in (_TEST, *_AFTER_TEST)[: len(fractions) - 1]}
        part = _parts(strata, shares, np.random.default_rng(seed))
    for code in range(len(fractions)):  # tiny data and tiny fractions: still no empty part
        if not (part == code).any():
            part[np.flatnonzero(part == np.bincount(part).argmax())[0]] = code
    _teach_every_group(part, strata, label, sensitive)
    train, validation, test, *aside = (np.flatnonzero(part == code) for code in range(len(fractions)))
    return Split(train, validation, test, seed, *aside)


def _fold(strata: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """Whether each row is in the fold of this seed: strata are dealt out like cards, one after the other."""
    dealing, fold = divmod(seed, folds)
    order = _in_order(strata, np.random.default_rng([dealing, 0]))
    dealt = np.empty(len(strata), dtype=np.int64)
    dealt[order] = np.arange(len(strata)) % folds
    return np.asarray(dealt == fold)


def _in_order(strata: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Row positions stratum by stratum, at random within each."""
    shuffled = rng.permutation(len(strata))
    return shuffled[np.argsort(strata[shuffled], kind="stable")]


def _parts(strata: np.ndarray, shares: Mapping[int, float], rng: np.random.Generator) -> np.ndarray:
    """The part of every row: of each stratum the shares asked for, and training for the rest."""
    order = _in_order(strata, rng)
    part = np.zeros(len(strata), dtype=np.int8)
    ends = np.flatnonzero(np.r_[np.diff(strata[order]) != 0, True]) + 1
    start = 0
    for end in ends.tolist():
        taken = start
        for code, share in shares.items():
            # Shares are rounded along the running total, so that rounding errors of strata cancel.
            upto = min(taken + _share(end, share) - _share(start, share), end)
            part[order[taken:upto]] = code
            taken = upto
        start = end
    return part


def _teach_every_group(part: np.ndarray, strata: np.ndarray, label: pd.Series, sensitive: pd.DataFrame) -> None:
    """Nobody can learn of a group that is only tested: one of it changes places with one of the many."""
    for codes in (label.to_numpy(), *(sensitive[name].cat.codes.to_numpy() for name in sensitive)):
        for level in np.unique(codes):
            members = np.flatnonzero(codes == level)
            if (part[members] == _TRAIN).any():
                continue
            many = np.flatnonzero((part == _TRAIN) & (strata == np.bincount(strata).argmax()))
            if len(many) > 1:
                part[many[-1]] = part[members[0]]
            part[members[0]] = _TRAIN


def _share(count: int, fraction: float) -> int:
    return int(np.floor(count * fraction + 0.5))


def _strata(label: pd.Series, sensitive: pd.DataFrame) -> np.ndarray:
    classes = label.to_numpy(dtype=np.int64)
    joint = classes.copy()
    for name in sensitive:
        codes = sensitive[name].cat.codes.to_numpy(dtype=np.int64)
        joint = joint * (codes.max() + 1) + codes
        joint = np.unique(joint, return_inverse=True)[1]  # keeps the product of many attributes small
    first = joint.max() + 1
    sizes = np.bincount(joint)
    joint = np.where(sizes[joint] < SMALL_STRATUM, first + classes, joint)
    sizes = np.bincount(joint)
    pool = first + classes.max() + 1
    joint = np.where(sizes[joint] < SMALL_STRATUM, pool, joint)
    if (joint == pool).sum() < SMALL_STRATUM:  # too few even together: share out with the largest stratum
        sizes = np.bincount(joint)
        joint = np.where(joint == pool, np.argmax(sizes[: pool + 1]), joint)
    return joint

"""Cut rows into training, validation and test parts that look alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from diffoci.data.dataset import Dataset

MIN_ROWS = 10
SMALL_STRATUM = 10


@dataclass(frozen=True, eq=False)
class Split:
    """Row positions of the three parts, each in increasing order; together they are all rows, once each."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray
    seed: int


def split_dataset(
    dataset: Dataset, *, fractions: tuple[float, float, float] = (0.75, 0.15, 0.10), seed: int = 0
) -> Split:
    """Split a dataset, stratified on label x sensitive groups where the sizes allow.

    Examples
    --------
    >>> from diffoci.data.sources import load
    >>> split = split_dataset(load("breast-cancer"))
    >>> len(split.train), len(split.validation), len(split.test)
    (427, 85, 57)
    """
    return split_rows(dataset.label, dataset.sensitive, fractions=fractions, seed=seed)


def split_rows(
    label: pd.Series,
    sensitive: pd.DataFrame,
    *,
    fractions: tuple[float, float, float] = (0.75, 0.15, 0.10),
    seed: int = 0,
) -> Split:
    """Split rows by label and groups.

    Every stratum (one label, one combination of groups) of at least ten rows gives each part its share to
    within one row. Smaller strata of one label are pooled, and where even the pool is small, over labels.
    Every class of the label and every group has a row in training, even where it has only one.
    """
    rows = len(label)
    if rows < MIN_ROWS:
        raise ValueError(f"{rows} rows are too few to split; at least {MIN_ROWS} are needed.")
    if min(fractions) <= 0 or abs(sum(fractions) - 1) > 1e-9:
        raise ValueError(f"Fractions of a split must be above 0 and sum to 1, not {fractions}.")
    strata = _strata(label, sensitive)
    shuffled = np.random.default_rng(seed).permutation(rows)
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    part = np.zeros(rows, dtype=np.int8)
    ends = np.flatnonzero(np.r_[np.diff(strata[order]) != 0, True]) + 1
    start = 0
    for end in ends.tolist():
        # Shares are rounded along the running total, so that rounding errors of strata cancel.
        tests = _share(end, fractions[2]) - _share(start, fractions[2])
        validations = _share(end, fractions[1]) - _share(start, fractions[1])
        validations = min(validations, end - start - tests)
        part[order[start : start + tests]] = 2
        part[order[start + tests : start + tests + validations]] = 1
        start = end
    for code in range(3):  # tiny data and tiny fractions: still no empty part
        if not (part == code).any():
            part[np.flatnonzero(part == np.bincount(part).argmax())[0]] = code
    for codes in (label.to_numpy(), *(sensitive[name].cat.codes.to_numpy() for name in sensitive)):
        for level in np.unique(codes):
            members = np.flatnonzero(codes == level)
            if (part[members] == 0).any():
                continue
            # Nobody can learn of a group that is only tested: one of it changes places with one of the many.
            many = np.flatnonzero((part == 0) & (strata == np.bincount(strata).argmax()))
            if len(many) > 1:
                part[many[-1]] = part[members[0]]
            part[members[0]] = 0
    train, validation, test = (np.flatnonzero(part == code) for code in range(3))
    return Split(train, validation, test, seed)


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

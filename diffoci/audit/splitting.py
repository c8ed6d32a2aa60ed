"""How an audit splits its rows: at random, or where they are few into test folds; and what that means for noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diffoci.data.splits import fold_count

# Below so many rows splits are test folds; how many of them an audit has by default.
FOLD_ROWS, FOLDS = 5000, 10
# What test folds add to the variance of their mean, in units of one's: they share nobody, but teach each other. With it
# 93 to 97 of 100 intervals hold the truth of simulated audits (tests/measure/coverage.py).
OF_FOLDS = 0.02


def are_folds(settings: Mapping[str, Any], rows: int) -> bool:
    """Whether so many rows are split into test folds; audits from before there were any have none."""
    return rows < int(settings.get("fold_rows", 0))


def overlap_of_splits(settings: Mapping[str, Any], *, rows: int, splits: int) -> float:
    """What the variance of a mean over splits is above that of independent ones, in units of one split's variance.

    Test rows by training rows for random splits, after Nadeau and Bengio. Test folds share nobody: little is added
    before everybody was tested once, and nothing is gained by testing them again.

    >>> quick = {"fractions": (0.75, 0.15, 0.1), "fold_rows": 5000}
    >>> [round(overlap_of_splits(quick, rows=rows, splits=10), 3) for rows in (400, 20_000)]
    [0.02, 0.133]
    """
    train, _, test, *_ = settings["fractions"]
    if not are_folds(settings, rows):
        return float(test / train)
    return OF_FOLDS + max(0.0, 1 / fold_count(settings["fractions"]) - 1 / splits)


def taught_by_each_other(settings: Mapping[str, Any], rows: int) -> float:
    """How much two test folds' scores depend on each other where nothing is to be found; 0 for random splits.

    A person of one fold teaches the model that is tested on the other, and the reverse: what the first two learnt of
    each other by chance is seen twice. It is the share of what a fold's scores rest on that the other fold's people
    are, times how often both are among each other's training rows.
    """
    if not are_folds(settings, rows):
        return 0.0
    train, _, test, *_ = settings["fractions"]
    return float(test * train / (1 - test) ** 2)

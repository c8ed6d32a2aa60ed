"""``python -m tests.measure.coverage [--first N]``: how often intervals over test folds hold the truth.

People are drawn whose truth is known. Each audit splits them as small data are split, fits a cheap linear probe of the
outcome on two representations and one of the attribute, and makes its intervals as an audit does. The truth is what the
same fitted probes reach: an accuracy on 50,000 further people, an AUC by its formula. What folds are widened by was set
on the audits from 0 to 199; `--first 1000` draws others.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd

from diffoci.audit.certificates.ceiling import ordered_auc
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.noise import Difference, changed_difference, paired_difference, share_variance
from diffoci.audit.splitting import FOLD_ROWS, overlap_of_splits
from diffoci.data.splits import split_rows

FRACTIONS = (0.75, 0.15, 0.10)
WHAT = ("outcome accuracy", "AUC of guessing", "difference in outcome accuracy")
_COLUMNS, _KEPT, _FURTHER, _SHIFT = 12, 8, 50_000, 0.4
Found = dict[str, tuple[float, float, float]]  # low, high, truth


@dataclass(frozen=True)
class People:
    """Columns, outcome and group."""

    x: np.ndarray
    outcome: np.ndarray
    group: np.ndarray


def draw(rng: np.random.Generator, people: int) -> People:
    """The first columns tell the outcome, the last ones the group as well."""
    group = rng.integers(0, 2, people)
    x = rng.normal(size=(people, _COLUMNS))
    x[:, -3:] += _SHIFT * group[:, None]
    outcome = (x[:, :3].sum(axis=1) + 0.7 * x[:, -1] + rng.normal(0, 1.5, people) > 0.3).astype(np.int64)
    return People(x, outcome, group)


def simulated_audit(seed: int, *, people: int, splits: int, further: People) -> Found:
    """One audit's intervals, each with the truth it should hold."""
    some = draw(np.random.default_rng([seed, people]), people)
    sensitive = pd.DataFrame({"group": pd.Categorical(some.group)})
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in ("all", "kept", "group")}
    right: dict[str, list[np.ndarray]] = {"all": [], "kept": []}
    for k in range(splits):
        split = split_rows(pd.Series(some.outcome), sensitive, fractions=FRACTIONS, seed=k, fold_rows=FOLD_ROWS)
        for name, columns in (("all", _COLUMNS), ("kept", _KEPT)):
            weights = _fitted(some.x[split.train, :columns], some.outcome[split.train])
            right[name].append((_score(weights, some.x[split.test, :columns]) > 0) == some.outcome[split.test])
            truth = _accuracy(_score(weights, further.x[:, :columns]), further.outcome)
            scores[name].append((float(right[name][-1].mean()), truth))
        weights = _fitted(some.x[split.train], some.group[split.train])
        reached = _auc(_score(weights, some.x[split.test]), some.group[split.test])
        scores["group"].append((reached, _true_auc(weights)))
    share = overlap_of_splits({"fractions": FRACTIONS, "fold_rows": FOLD_ROWS}, rows=people, splits=splits)
    tested, known = ({name: [pair[k] for pair in pairs] for name, pairs in scores.items()} for k in (0, 1))
    accuracy, area = (mean_over_seeds(tested[name], test_share=share, most=1.0) for name in ("all", "group"))
    change = _difference(right["all"], right["kept"], share, people)
    gap = float(np.mean(known["kept"]) - np.mean(known["all"]))
    return {
        WHAT[0]: (accuracy.low or 0.0, accuracy.high or 0.0, float(np.mean(known["all"]))),
        WHAT[1]: (area.low or 0.0, area.high or 0.0, float(np.mean(known["group"]))),
        WHAT[2]: (change.low or 0.0, change.high or 0.0, gap),
    }


def _difference(before: list[np.ndarray], after: list[np.ndarray], share: float, people: int) -> Difference:
    """As an audit makes it: from the people who changed where everybody was tested once, else from the folds."""
    old, new = ([float(one.mean()) for one in ones] for ones in (before, after))
    was, now = (np.concatenate(ones) for ones in (before, after))
    if len(was) > people:
        return paired_difference(old, new, test_share=share, of_rows=share_variance(float(np.mean(old)), people))
    return changed_difference(
        float(np.mean(np.subtract(new, old))),
        people=len(was),
        lost=int((was & ~now).sum()),
        gained=int((now & ~was).sum()),
        wider=1 + len(old) * share,
    )


def coverage(audits: int, *, people: int, splits: int = 10, first: int = 0) -> dict[str, tuple[float, float]]:
    """The share of audits whose interval holds the truth, and half the mean width of the interval."""
    further = draw(np.random.default_rng(123), _FURTHER)
    found = [
        simulated_audit(seed, people=people, splits=splits, further=further) for seed in range(first, first + audits)
    ]
    return {
        what: (
            float(np.mean([low <= truth <= high for low, high, truth in (one[what] for one in found)])),
            float(np.mean([(one[what][1] - one[what][0]) / 2 for one in found])),
        )
        for what in WHAT
    }


def _fitted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    with_one = np.column_stack([x, np.ones(len(x))])
    weights: np.ndarray = np.linalg.solve(with_one.T @ with_one + np.eye(with_one.shape[1]), with_one.T @ (y - 0.5))
    return weights


def _score(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.asarray(x @ weights[:-1] + weights[-1])


def _accuracy(score: np.ndarray, y: np.ndarray) -> float:
    return float(((score > 0) == y).mean())


def _auc(score: np.ndarray, y: np.ndarray) -> float:
    return ordered_auc((y == 0).astype(np.float64), y.astype(np.float64), score)


def _true_auc(weights: np.ndarray) -> float:
    """Of a linear score: both groups are normal and differ in the last columns' means."""
    distance = _SHIFT * weights[-4:-1].sum() / np.linalg.norm(weights[:-1])
    return NormalDist().cdf(float(distance) / 2**0.5)


def main() -> None:
    """Print a table for several sizes and numbers of folds."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("--first", type=int, default=0, help="number of the first simulated audit")
    reading.add_argument("--audits", type=int, default=200)
    asked = reading.parse_args()
    print(f"{'people':>7} {'splits':>6}  " + "  ".join(f"{what:>32}" for what in WHAT))
    for people, splits in ((200, 10), (395, 10), (1000, 10), (4000, 10), (395, 5), (395, 20)):
        found = coverage(asked.audits, people=people, splits=splits, first=asked.first)
        cells = (f"{100 * held:.1f} % (±{100 * half:.1f} points)" for held, half in found.values())
        print(f"{people:>7} {splits:>6}  " + "  ".join(f"{cell:>32}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()

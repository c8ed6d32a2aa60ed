"""Numbers to teach with: how far many weak columns tell a group, and what an accuracy is worth beside a base rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diffoci.inputs import Floats, Ints
from diffoci.threads import one_thread

SHARES = tuple(round(0.5 + 0.05 * k, 2) for k in range(10))


@dataclass(frozen=True, eq=False)
class ManyColumns:
    """How well a group is guessed from columns that each tell little: AUC on unseen rows.

    `alone` has one AUC a column; `together` and `possible` (the best any method could reach) are of the first 1, 2, …
    columns. `selected` is the share of each group that a classifier of an outcome selects which never saw the group.
    """

    alone: Floats
    together: Floats
    possible: Floats
    selected: dict[str, float]


def many_columns(columns: int, strength: float, *, rows: int = 4000, seed: int = 0) -> ManyColumns:
    """Columns whose mean is `strength` standard deviations higher in group B, and an outcome that depends on the group.

    >>> found = many_columns(12, 0.3)
    >>> bool(found.together[-1] > found.alone.max() + 0.1)
    True
    """
    from scipy.special import ndtr
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, rows)
    # All columns are drawn whatever their number: one more column leaves the others as they were.
    table = strength * (group[:, None] - 0.5) + rng.standard_normal((rows, 40))[:, :columns]
    outcome = (2 * (group - 0.5) + rng.logistic(scale=0.5, size=rows) > 0).astype(int)
    half = rows // 2
    seen, unseen = slice(0, half), slice(half, rows)
    with one_thread():
        together = [
            roc_auc_score(
                group[unseen],
                LogisticRegression().fit(table[seen, :k], group[seen]).predict_proba(table[unseen, :k])[:, 1],
            )
            for k in range(1, columns + 1)
        ]
        selects = LogisticRegression().fit(table[seen], outcome[seen]).predict(table[unseen])
    numbers = np.arange(1, columns + 1)
    return ManyColumns(
        alone=np.array([roc_auc_score(group[unseen], table[unseen, k]) for k in range(columns)]),
        together=np.array(together, dtype=np.float64),
        possible=np.asarray(ndtr(strength * np.sqrt(numbers / 2)), dtype=np.float64),
        selected={name: float(selects[group[unseen] == k].mean()) for k, name in enumerate("AB")},
    )


@dataclass(frozen=True, eq=False)
class BaseRates:
    """The same trace in groups of other sizes: scores of guessing on unseen rows, by the share of the largest group."""

    shares: Floats
    accuracy: Floats
    largest: Floats
    balanced: Floats
    auc: Floats

    def at(self, share: float) -> int:
        """The position of the share that is nearest."""
        return int(np.argmin(np.abs(self.shares - share)))

    def gain(self, share: float) -> float:
        """By how much guessing beats always naming the largest group."""
        k = self.at(share)
        return float(self.accuracy[k] - self.largest[k])


def base_rates(strength: float, *, rows: int = 8000, seed: int = 0) -> BaseRates:
    """A column whose mean is `strength` standard deviations higher in one group, which is larger and larger.

    >>> found = base_rates(1.0)
    >>> found.gain(0.5) > 0.1 > 0.01 > found.gain(0.95)
    True
    """
    scored = [_scores(strength, share, rows, seed) for share in SHARES]
    accuracy, largest, balanced, auc = (np.array(values, dtype=np.float64) for values in zip(*scored, strict=True))
    return BaseRates(np.array(SHARES), accuracy, largest, balanced, auc)


def _scores(strength: float, share: float, rows: int, seed: int) -> tuple[float, float, float, float]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

    rng = np.random.default_rng(seed)
    group: Ints = (rng.random(rows) < share).astype(np.int64)
    column = (strength * group + rng.standard_normal(rows))[:, None]
    half = rows // 2
    with one_thread():
        probe = LogisticRegression().fit(column[:half], group[:half])
        guess, known = probe.predict(column[half:]), group[half:]
        area = roc_auc_score(known, probe.predict_proba(column[half:])[:, 1])
    right, balanced = accuracy_score(known, guess), balanced_accuracy_score(known, guess)
    return float(right), float(max(known.mean(), 1 - known.mean())), float(balanced), float(area)

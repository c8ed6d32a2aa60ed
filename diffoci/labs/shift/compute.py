"""One cell: order the features inside, keep the best shares of them, and see what that costs outside."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from diffoci.inputs import Floats, Ints
from diffoci.labs.shift.rows import ShiftTask
from diffoci.runs.study import Watch

# A regression of more rows takes longer and says the same.
MOST_ROWS = 20_000
ALL = "all"


def _by_weights(task: ShiftTask, seed: int, epochs: int, watch: Watch) -> Floats:
    """The size of vec-dF1's weights: one per feature."""
    from diffoci.learning.estimator import DifFOCI

    train, held = task.split.train, task.split.validation
    model = DifFOCI(
        lr=0.05, weight_decay=5e-3, batch_size=1024, max_epochs=epochs, patience=None, device="cpu", random_state=seed
    )
    model.fit(
        task.inside[train],
        task.y_inside[train],
        validation=(task.inside[held], task.y_inside[held], None),
        feature_of_column=task.feature.tolist(),
        on_epoch=lambda line: watch.tell(fraction=0.8 * line["epoch"] / epochs, epoch=line["epoch"], T=line["T"]),
    )
    return np.asarray(np.abs(model.theta_), dtype=np.float64)


def _by_f_test(task: ShiftTask, seed: int, epochs: int, watch: Watch) -> Floats:
    from sklearn.feature_selection import f_classif

    train = task.split.train
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # a constant column has no F, and comes last
        score = np.nan_to_num(f_classif(task.inside[train], task.y_inside[train])[0], nan=-1.0)
    return np.array([score[task.feature == k].max() for k in range(task.feature.max() + 1)])


def _by_chance(task: ShiftTask, seed: int, epochs: int, watch: Watch) -> Floats:
    return np.asarray(np.random.default_rng(seed).random(task.feature.max() + 1))


# How features may be ordered: the larger the score, the sooner a feature is kept.
ORDERS: dict[str, Callable[[ShiftTask, int, int, Watch], Floats]] = {
    "dF1": _by_weights,
    "F test": _by_f_test,
    "random": _by_chance,
}


def accuracies(
    task: ShiftTask, method: str, shares: Sequence[float], *, seed: int, epochs: int, watch: Watch
) -> dict[str, Any]:
    """Accuracies in per cent on training, test and outside rows, for every share of the features that is kept."""
    features = int(task.feature.max()) + 1
    if method == ALL:
        return {ALL: _predicted(task, np.arange(features))}
    order = np.argsort(-ORDERS[method](task, seed, epochs, watch), kind="stable")
    watch.tell(fraction=0.85)
    return {f"{share:g}": _predicted(task, order[: max(1, round(share * features))]) for share in shares}


def _predicted(task: ShiftTask, kept: Ints) -> dict[str, float]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    columns = np.isin(task.feature, kept)
    inside, outside = task.inside[:, columns], task.outside[:, columns]
    train = task.split.train[:: max(1, -(-len(task.split.train) // MOST_ROWS))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(max_iter=300).fit(inside[train], task.y_inside[train])
    return {
        "train": 100 * float(model.score(inside[train], task.y_inside[train])),
        "test": 100 * float(model.score(inside[task.split.test], task.y_inside[task.split.test])),
        "outside": 100 * float(model.score(outside, task.y_outside)),
        "features": float(len(kept)),
    }

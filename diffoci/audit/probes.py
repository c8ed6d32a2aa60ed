"""Probes: how well something can be guessed from a representation, by guessers of different power."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from diffoci.audit.cells import Watch
from diffoci.audit.classifier import Matrix, NetworkClassifier
from diffoci.data.splits import Split
from diffoci.inputs import Floats, Ints

PROBES = ("logistic", "mlp", "boosting")
# A class of fewer rows says next to nothing of a probe, and would say it as loudly as the others.
FEWEST_ROWS = 10
# log-loss of a hard 0/1 prediction, as the paper's tables have it: every error costs -log of the smallest double step.
HARD_ERROR = float(-np.log(np.finfo(np.float64).eps))


@dataclass(frozen=True)
class Scores:
    """What one probe reached on some rows."""

    accuracy: float
    balanced_accuracy: float
    auc: float | None
    log_loss: float
    hard_log_loss: float


@dataclass(frozen=True)
class Guess:
    """The strongest probe by validation, its scores on test rows, and every probe's.

    `probability` are its class probabilities of the test rows, `network` the trained "mlp" probe.
    """

    probe: str
    scores: Scores
    validation: Scores
    each: Mapping[str, Scores]
    probability: Floats
    network: NetworkClassifier | None


def guess(
    z: Matrix,
    code: Ints,
    split: Split,
    *,
    classes: int,
    probes: Sequence[str] = PROBES,
    most_rows: int | None = None,
    network: Mapping[str, Any] | None = None,
    device: str = "auto",
    seed: int = 0,
    watch: Watch | None = None,
) -> Guess:
    """Fit probes of `code` on the training rows of `z`, choose the strongest on validation, score it on test rows."""
    watch = watch or Watch()
    z = np.ascontiguousarray(z if z.shape[1] else np.zeros((len(z), 1)), dtype=np.float32)
    rows = _some(split.train, most_rows, seed)
    held = _some(split.validation, most_rows, seed)
    found: dict[str, tuple[Floats, Floats]] = {}
    trained = None
    for name in probes:
        watch.tell()
        if len(np.unique(code[rows])) < 2 and name != "mlp":  # of a rare group no row is left to learn from
            found[name] = (
                _constant(code[rows][0], len(held), classes),
                _constant(code[rows][0], len(split.test), classes),
            )
        elif name == "mlp":
            trained = NetworkClassifier(classes, device=device, seed=seed, **(network or {}))
            trained.fit(z[rows], code[rows], (z[held], code[held]), on_epoch=lambda _: watch.tell())
            found[name] = trained.predict_proba(z[held]), trained.predict_proba(z[split.test])
        else:
            fit = _logistic if name == "logistic" else _boosting
            with threadpool_limits(1):  # on a few thousand rows more threads only wait for each other
                found[name] = fit(z, code, rows, held, split.test, classes, seed)
    validation = {name: score(code[held], held_out, classes) for name, (held_out, _) in found.items()}
    test = {name: score(code[split.test], tested, classes) for name, (_, tested) in found.items()}
    best = max(probes, key=lambda name: _rank(validation[name]))
    return Guess(best, test[best], validation[best], test, found[best][1], trained)


def score(code: Ints, probability: Floats, classes: int) -> Scores:
    """Scores of class probabilities; the AUC of several classes is the mean of one against the rest."""
    chosen = probability.argmax(axis=1)
    present = [k for k in range(classes) if (code == k).any()]
    error = float((chosen != code).mean())
    own = np.clip(probability[np.arange(len(code)), code], np.finfo(np.float64).eps, None)
    return Scores(
        accuracy=1 - error,
        balanced_accuracy=float(np.mean([(chosen[code == k] == k).mean() for k in present])),
        auc=auc(code, probability, classes),
        log_loss=float(-np.log(own).mean()),
        hard_log_loss=HARD_ERROR * error,
    )


def auc(code: Ints, probability: Floats, classes: int) -> float | None:
    """Area under the ROC curve, averaged over the classes with FEWEST_ROWS on each side, or if there are none over all.

    None where the rows are of one class.
    """
    count = np.bincount(code, minlength=classes)
    fewer = np.minimum(count, len(code) - count)
    wanted = np.array([1]) if classes == 2 else np.arange(classes)
    enough = wanted[fewer[wanted] >= FEWEST_ROWS]
    some = enough if len(enough) else wanted[fewer[wanted] > 0]
    return float(np.mean([roc_auc_score(code == k, probability[:, k]) for k in some])) if len(some) else None


def _rank(scores: Scores) -> tuple[float, float]:
    return (scores.auc if scores.auc is not None else 0.5, scores.accuracy)


def _some(rows: Ints, most: int | None, seed: int) -> Ints:
    if most is None or len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:most])


def _logistic(
    z: Matrix, code: Ints, rows: Ints, held: Ints, test: Ints, classes: int, seed: int
) -> tuple[Floats, Floats]:
    centre, scale = z[rows].mean(axis=0), np.maximum(z[rows].std(axis=0), 1e-6)
    ready = (z - centre) / scale
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a probe short of its optimum is still a probe
        model = LogisticRegression(max_iter=200).fit(ready[rows], code[rows])
    return _spread(model, ready[held], classes), _spread(model, ready[test], classes)


def _boosting(
    z: Matrix, code: Ints, rows: Ints, held: Ints, test: Ints, classes: int, seed: int
) -> tuple[Floats, Floats]:
    known = np.isin(code[held], np.unique(code[rows]))
    model = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=15, early_stopping=True, n_iter_no_change=8, random_state=seed
    ).fit(z[rows], code[rows], X_val=z[held][known], y_val=code[held][known])
    return _spread(model, z[held], classes), _spread(model, z[test], classes)


def _constant(level: int, rows: int, classes: int) -> Floats:
    return np.tile(np.eye(classes)[level], (rows, 1))


def _spread(model: Any, z: Matrix, classes: int) -> Floats:
    """Probabilities of all classes, also of those the training rows did not have."""
    probability = np.zeros((len(z), classes))
    probability[:, model.classes_.astype(int)] = model.predict_proba(z)
    return probability

"""How well y is predicted from a representation: SVR for numbers, logistic regression for classes, as in the paper."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffoci.inputs import Ints, Matrix
from diffoci.labs.feature_selection.problem import Kind, Task

# What one wrong 0/1 answer costs in the paper's log-loss of hard predictions.
HARD_ERROR = float(-np.log(np.finfo(np.float64).eps))
# A support vector machine takes time with the square of its rows; more of them change its error by next to nothing.
MOST_SVR_ROWS = 6000
MEASURES: dict[Kind, tuple[str, ...]] = {"number": ("mse",), "class": ("hard_log_loss", "log_loss", "accuracy")}
WORDS = {
    "mse": "mean squared error",
    "hard_log_loss": "log-loss of hard predictions",
    "log_loss": "log-loss",
    "accuracy": "accuracy",
}

SHORT_WORDS = {**WORDS, "mse": "MSE", "hard_log_loss": "hard log-loss"}


def measure_of(kind: Kind) -> str:
    """The measure that tables and pictures show first, smaller being better."""
    return MEASURES[kind][0]


def test_scores(task: Task, z: Matrix) -> dict[str, float]:
    """Every measure on test rows."""
    return _scores(task, z, task.split.test)


def validation_loss(task: Task, z: Matrix) -> float:
    """What choices are made by: the squared error of a number, the true log-loss of classes, on validation rows."""
    scores = _scores(task, z, task.split.validation)
    return scores["mse"] if task.kind == "number" else scores["log_loss"]


def _scores(task: Task, z: Matrix, rows: Ints) -> dict[str, float]:
    training = task.split.train
    if task.kind == "number":
        guess = _numbers(z, task.y, training, rows)
        return {"mse": float(np.mean((guess - task.y[rows]) ** 2))}
    probability, classes = _probabilities(z, task.y, training, rows)
    place = np.searchsorted(classes, task.y[rows])
    known = (place < len(classes)) & (classes[np.minimum(place, len(classes) - 1)] == task.y[rows])
    own = np.where(known, probability[np.arange(len(rows)), np.minimum(place, len(classes) - 1)], 0.0)
    wrong = float(np.mean(classes[probability.argmax(axis=1)] != task.y[rows]))
    smallest = np.finfo(np.float64).eps
    return {
        "hard_log_loss": HARD_ERROR * wrong,
        "log_loss": float(-np.log(np.maximum(own, smallest)).mean()),
        "accuracy": 1.0 - wrong,
    }


def _numbers(z: Matrix, y: NDArray[Any], training: Ints, rows: Ints) -> NDArray[np.float64]:
    if z.shape[1] == 0:
        return np.full(len(rows), float(y[training].mean()))
    from sklearn.svm import SVR

    some = training[:: max(1, -(-len(training) // MOST_SVR_ROWS))]
    return np.asarray(SVR(C=1.0, epsilon=0.2).fit(z[some], y[some]).predict(z[rows]), dtype=np.float64)


def _probabilities(z: Matrix, y: NDArray[Any], training: Ints, rows: Ints) -> tuple[NDArray[np.float64], NDArray[Any]]:
    if z.shape[1] == 0:
        classes, counts = np.unique(y[training], return_counts=True)
        return np.tile(counts / counts.sum(), (len(rows), 1)), classes
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the paper's default of 100 steps is part of its protocol
        model = LogisticRegression().fit(z[training], y[training])
    return np.asarray(model.predict_proba(z[rows]), dtype=np.float64), model.classes_

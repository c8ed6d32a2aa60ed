"""How well something can be guessed from a representation: the strongest of several probes, and what it reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffoci.audit.certificates.certificate import FEWEST_OF_A_CLASS
from diffoci.audit.probes import PROBES, Answer, Probe, Question
from diffoci.data.splits import Split
from diffoci.inputs import Floats, Ints, Matrix
from diffoci.runs.study import Watch
from diffoci.threads import one_thread

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

    `probability` are its class probabilities of the test rows; `last_layer` looks into the first network among the
    probes.
    """

    probe: str
    scores: Scores
    validation: Scores
    each: Mapping[str, Scores]
    probability: Floats
    last_layer: Callable[[Matrix], Matrix] | None


def guess(
    z: Matrix,
    code: Ints,
    split: Split,
    *,
    classes: int,
    probes: Iterable[str] = PROBES,
    most_rows: int | None = None,
    network: Mapping[str, Any] | None = None,
    device: str = "auto",
    seed: int = 0,
    watch: Watch | None = None,
) -> Guess:
    """Fit probes of `code` on the training rows of `z`, choose the strongest on validation, score it on test rows."""
    question = Question(
        z=np.ascontiguousarray(z if z.shape[1] else np.zeros((len(z), 1)), dtype=np.float32),
        code=code,
        rows=some_rows(split.train, most_rows, seed),
        held=some_rows(split.validation, most_rows, seed),
        test=split.test,
        classes=classes,
        seed=seed,
        device=device,
        settings=network or {},
        watch=watch or Watch(),
    )
    answers = {name: _answer(PROBES.named(name), question) for name in probes}
    validation = {name: score(code[question.held], found.held, classes) for name, found in answers.items()}
    test = {name: score(code[split.test], found.test, classes) for name, found in answers.items()}
    best = max(answers, key=lambda name: _rank(validation[name]))
    looks = (found.last_layer for found in answers.values() if found.last_layer is not None)
    return Guess(best, test[best], validation[best], test, answers[best].test, next(looks, None))


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
    """Area under the ROC curve, averaged over the classes with enough rows on each side, or if there are none over all.

    None where the rows are of one class.
    """
    count = np.bincount(code, minlength=classes)
    fewer = np.minimum(count, len(code) - count)
    wanted = np.array([1]) if classes == 2 else np.arange(classes)
    enough = wanted[fewer[wanted] >= FEWEST_OF_A_CLASS]
    some = enough if len(enough) else wanted[fewer[wanted] > 0]
    return float(np.mean([area_under_curve(code == k, probability[:, k]) for k in some])) if len(some) else None


def area_under_curve(positive: NDArray[np.bool_], score: Floats) -> float:
    """scikit-learn's `roc_auc_score`, bit by bit, without its checks of the arguments.

    These take two milliseconds, and an audit of a few hundred people asks for thousands of areas.
    """
    if not np.isfinite(score).all():
        raise ValueError("A probe gave probabilities that are no numbers.")
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    last = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)  # of rows with the same score
    hits = np.cumsum(positive[order], dtype=np.float64)[last]
    misses = 1.0 + last - hits
    if len(last) > 2:  # points on a straight line are left out, which changes the order of the sum
        corner = np.concatenate([[True], (np.diff(misses, 2) != 0) | (np.diff(hits, 2) != 0), [True]])
        hits, misses = hits[corner], misses[corner]
    hits, misses = (np.concatenate([[0.0], part]) for part in (hits, misses))
    return float(np.trapezoid(hits / hits[-1], misses / misses[-1]))


def _answer(probe: Probe, question: Question) -> Answer:
    question.watch.tell()
    known = np.unique(question.code[question.rows])
    if len(known) < 2 and probe.needs_two_classes:  # of a rare group no row is left to learn from
        only = np.eye(question.classes)[known[0]]
        return Answer(np.tile(only, (len(question.held), 1)), np.tile(only, (len(question.test), 1)))
    with one_thread():  # on a few thousand rows more threads only wait for each other
        return probe.fit(question)


def _rank(scores: Scores) -> tuple[float, float]:
    return (scores.auc if scores.auc is not None else 0.5, scores.accuracy)


def some_rows(rows: Ints, most: int | None, seed: int) -> Ints:
    """At most so many of these rows, chosen by the seed."""
    if most is None or len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:most])

"""Choose among trainings with several weights, on validation rows only, and tell how far they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Representation
from diffoci.runs.study import Watch

OnEpoch = Callable[[dict[str, Any]], None]


def choose_weight(
    train: Callable[[float, OnEpoch], Representation],
    weights: Sequence[float],
    prepared: PreparedSplit,
    settings: Mapping[str, Any],
    *,
    epochs: int,
    seed: int,
    watch: Watch,
) -> Representation:
    """Of several weights take the one that leaves S hardest to guess among those that predict y about as well as any.

    "About as well" is a quarter of a standard error of a validation accuracy: a smaller gap is no evidence.
    """
    candidates = [
        train(float(weight), _progress(watch, epochs, done / len(weights), 1 / len(weights)))
        for done, weight in enumerate(weights)
    ]
    tried = {float(weight): one for weight, one in zip(weights, candidates, strict=True)}
    if len(candidates) == 1:
        return replace(candidates[0], tried=tried)
    scores = [_validation_scores(one, prepared, settings["probe_rows"], seed) for one in candidates]
    top = max(accuracy for accuracy, _ in scores)
    slack = 0.25 * np.sqrt(top * (1 - top) / len(prepared.split.validation))
    allowed = [k for k, (accuracy, _) in enumerate(scores) if accuracy >= top - slack]
    return replace(candidates[min(allowed, key=lambda k: scores[k][1])], tried=tried)


def _progress(watch: Watch, epochs: int, done: float, share: float) -> OnEpoch:
    """Report an epoch as progress: this training is `share` of the method's, after `done` of it."""
    return lambda line: watch.tell(fraction=0.7 * (done + share * line["epoch"] / epochs), **line)


def _validation_scores(
    made: Representation, prepared: PreparedSplit, most_rows: int | None, seed: int
) -> tuple[float, float]:
    """How well the outcome is predicted (accuracy) and the most telling attribute guessed (AUC)."""
    from diffoci.audit.measuring.guessing import guess
    from diffoci.audit.probes import QUICK

    quick: dict[str, Any] = {"probes": QUICK, "most_rows": most_rows, "seed": seed}
    label = guess(made.z, prepared.label, prepared.split, classes=prepared.classes, **quick)
    seen = [
        guess(made.z, code, prepared.split, classes=len(prepared.levels[name]), **quick).validation.auc or 0.5
        for name, code in prepared.groups.items()
    ]
    return label.validation.accuracy, max(seen)

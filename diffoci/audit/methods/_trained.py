"""Networks as methods: trained with each of several weights, side by side; one is chosen on validation rows only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Representation
from diffoci.learning.devices import device_kind
from diffoci.runs.study import Watch

if TYPE_CHECKING:  # the list of methods is read by pages and reports, which never load torch
    from diffoci.learning.together import Training
    from diffoci.learning.training import History

# Of a method's cell: training ends here, measuring begins.
TRAINED = 0.7
# Rows of a data set up to which trainings are done side by side.
MOST_ROWS, MOST_ROWS_ON_A_CARD = 2_000, 25_000


@dataclass(frozen=True, eq=False)
class Begun:
    """A training with one weight, ready to begin, and what makes a representation of what it gave."""

    training: Training
    end: Callable[[History], Representation]


Begin = Callable[[PreparedSplit, Mapping[str, Any], int, float], Begun]


@dataclass(frozen=True)
class Trained:
    """Builds what a network makes of the rows.

    `begin` makes a training ready, given a split, the audit's settings, a seed and a weight. `weights` names the
    setting that holds the weights, None where there is none.
    """

    begin: Begin
    weights: str | None = None

    def __call__(self, prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
        asked = [(prepared, seed, weight) for weight in self.weights_in(settings)]
        made = self.train(asked, settings, watch)
        return self.choose(dict(zip(self.weights_in(settings), made, strict=True)), prepared, settings, seed)

    def weights_in(self, settings: Mapping[str, Any]) -> tuple[float, ...]:
        """The weights to try."""
        return (0.0,) if self.weights is None else tuple(map(float, settings[self.weights]))

    def train(
        self, asked: Sequence[tuple[PreparedSplit, int, float]], settings: Mapping[str, Any], watch: Watch
    ) -> list[Representation | ValueError]:
        """Train for several splits, seeds and weights; where a training broke down, its reason."""
        from diffoci.learning.together import train_together

        at_once = len(asked) if side_by_side(len(asked[0][0].label), settings["device"]) else 1
        progress, made = _Progress(watch, len(asked)), list[Representation | ValueError]()
        for first in range(0, len(asked), at_once):
            begun = [self.begin(prepared, settings, seed, weight) for prepared, seed, weight in asked[first:][:at_once]]
            histories = train_together([progress.watched(one.training) for one in begun])
            made += [
                history if isinstance(history, ValueError) else one.end(history)
                for one, history in zip(begun, histories, strict=True)
            ]
        return made

    def choose(
        self,
        made: Mapping[float, Representation | ValueError],
        prepared: PreparedSplit,
        settings: Mapping[str, Any],
        seed: int,
    ) -> Representation:
        """Take the weight that leaves S hardest to guess among those that predict y about as well as any.

        "About as well" is a quarter of a standard error of a validation accuracy: a smaller gap is no evidence.
        """
        tried: dict[float, Representation] = {}
        for weight in self.weights_in(settings):
            one = made[weight]
            if isinstance(one, ValueError):
                raise one
            tried[weight] = one
        candidates = list(tried.values())
        if len(candidates) == 1:
            return replace(candidates[0], tried=tried)
        scores = [_validation_scores(one, prepared, settings["probe_rows"], seed) for one in candidates]
        top = max(accuracy for accuracy, _ in scores)
        slack = 0.25 * np.sqrt(top * (1 - top) / len(prepared.split.validation))
        allowed = [k for k, (accuracy, _) in enumerate(scores) if accuracy >= top - slack]
        return replace(candidates[min(allowed, key=lambda k: scores[k][1])], tried=tried)


def side_by_side(rows: int, device: str) -> bool:
    """Whether trainings on so many rows gain by being done side by side.

    On a processor they do while calling torch is much of the time; a graphics card has room for more.
    """
    return rows <= (MOST_ROWS if device_kind(device) == "cpu" else MOST_ROWS_ON_A_CARD)


class _Progress:
    """How far several trainings are together; the epochs of the first are told, so that one can be drawn."""

    def __init__(self, watch: Watch, trainings: int) -> None:
        self._watch, self._trainings, self._done = watch, trainings, list[float]()
        self._first: dict[str, Any] = {}

    def watched(self, training: Training) -> Training:
        """The same training, whose epochs are told."""
        number, epochs = len(self._done), training.setup.schedule.max_epochs
        self._done.append(0.0)

        def tell(line: dict[str, Any]) -> None:
            self._done[number] = line["epoch"] / epochs
            self._first = line if number == 0 else self._first
            self._watch.tell(fraction=TRAINED * sum(self._done) / self._trainings, **self._first)

        return replace(training, on_epoch=tell)


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

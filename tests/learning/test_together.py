"""Networks trained side by side have the numbers they have when they are trained alone, bit by bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from diffoci.learning.adversary import against_adversary
from diffoci.learning.estimator import DifFOCI
from diffoci.learning.setup import Rows
from diffoci.learning.together import Training, train_together
from diffoci.learning.training import Diverged

NETWORK: dict[str, Any] = {"model": "nn", "hidden": (16, 16, 16), "batch_size": 64, "max_epochs": 12, "dropout": 0.5}
LEARNERS: dict[str, dict[str, Any]] = {
    "dF1": {"objective": "dF1", "patience": 3, "width": 5},
    "dF2 by ranks": {"objective": "dF2", "width": 1, "penalty": 1.0, "measure": "T-ranks"},
    "dF2, several columns": {"objective": "dF2", "width": 3, "penalty": 1.0, "measure": "projections"},
    "dF3": {"objective": "dF3", "width": 4, "dropout": 0.0},
    "dF3 with penalty": {"objective": "dF3", "width": 1, "penalty": 1.0, "neighbours": "same"},
    "batches large enough for oneDNN": {"objective": "dF1", "width": 3, "batch_size": 256},
    "weighted outputs": {"objective": "dF3", "model": "vec-nn", "width": 3, "penalty": 1.0},
}


def begun(seed: int, **learner: Any) -> Training:
    """A training whose rows, and how many columns they have, differ by its seed."""
    rng = np.random.default_rng(seed)
    columns = 6 + seed % 3
    X = rng.normal(size=(300, columns)).astype(np.float32)
    s = np.tile([0, 1], 150)
    y = np.repeat([0, 1], 150)
    X[:, 0] += y
    X[:, 1] += s
    return DifFOCI(device="cpu", random_state=seed, **{**NETWORK, **learner}).begin(X, y, s, validation=(X, y, s))


def bits(training: Training) -> list[bytes]:
    parts = [training.network, *training.others]
    return [value.numpy().tobytes() for part in parts for value in part.state_dict().values()]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_network_has_the_same_bytes_whatever_is_trained_beside_it(name: str) -> None:
    learner = LEARNERS[name]
    alone = [begun(seed, **learner) for seed in range(5)]
    histories = [training.alone() for training in alone]
    together = [begun(seed, **learner) for seed in range(5)]
    assert len({training.kind() for training in together}) == 1, "they must really share their steps"
    assert train_together(together) == histories
    assert [bits(training) for training in together] == [bits(training) for training in alone]
    two = [begun(seed, **learner) for seed in (3, 1)]
    assert train_together(two) == [histories[3], histories[1]]
    assert [bits(training) for training in two] == [bits(alone[3]), bits(alone[1])]


def test_an_adversary_trained_beside_others_has_the_same_bytes() -> None:
    def ready(seed: int) -> Training:
        rng = np.random.default_rng(seed)
        rows = Rows(rng.normal(size=(200, 5)).astype(np.float32), np.tile([0, 1], 100), np.repeat([0, 1], 100))
        own: dict[str, Any] = {"width": 1, "hidden": (16, 16, 16), "lr": 1e-2, "weight_decay": 0.0, "batch_size": 64}
        own |= {"max_epochs": 6, "patience": 3, "dropout": 0.5, "device": "cpu"}
        return against_adversary(rows, rows, weight=1.0 + seed, seed=seed, **own)[0]

    alone, together = [ready(seed) for seed in range(3)], [ready(seed) for seed in range(3)]
    assert [training.alone() for training in alone] == train_together(together)
    assert [bits(training) for training in together] == [bits(training) for training in alone]


def test_the_60_networks_of_a_trade_off_curve_are_trained_in_one_pass() -> None:
    learner = {"objective": "dF2", "width": 1, "measure": "T-ranks", "max_epochs": 2}
    curve = [begun(seed, penalty=weight, **learner) for seed in range(10) for weight in (0.03, 0.1, 0.3, 1.0, 2.0, 3.0)]
    assert len({training.kind() for training in curve}) == 1
    histories = train_together(curve)
    assert histories[7] == begun(1, penalty=0.1, **learner).alone()


def test_each_ends_by_its_own_patience_and_tells_its_own_epochs() -> None:
    told: list[list[int]] = [[], []]

    def listening(seed: int, **own: Any) -> Training:
        training = begun(seed, objective="dF1", lr=0.05, **own)
        return replace(training, on_epoch=lambda line: told[seed].append(line["epoch"]))

    histories = train_together([listening(0, patience=1, max_epochs=40), listening(1, patience=None, max_epochs=9)])
    assert [len(history) for history in histories if isinstance(history, list)] == [len(epochs) for epochs in told]
    assert told[1] == list(range(1, 10))
    assert len(told[0]) < 40


def test_one_that_breaks_down_leaves_the_others_their_numbers() -> None:
    learner = {"objective": "dF2", "width": 1, "penalty": 1.0}
    sound, broken = begun(0, **learner), begun(1, **learner)
    broken.x[0] = torch.nan
    histories = train_together([sound, broken])
    assert isinstance(histories[1], Diverged)
    assert histories[0] == begun(0, **learner).alone()


def test_trainings_of_other_shapes_are_done_as_well() -> None:
    trainings = [
        begun(0, objective="dF1", width=4),
        begun(1, objective="dF1", width=4, hidden=(8,)),
        begun(2, objective="dF1", model="vec", hidden=(), dropout=0.0),
        begun(3, objective="dF1", width=4, batch_size=100),
    ]
    assert len({training.kind() for training in trainings}) == 4
    assert all(isinstance(history, list) and history for history in train_together(trainings))

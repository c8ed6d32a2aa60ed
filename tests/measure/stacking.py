"""What training several networks side by side brings: ``make measure WHAT=stacking``.

The networks of an audit, for data of several sizes: seconds of all by themselves and side by side, the faster of three,
and whether the bytes are the same. On a machine with a graphics card the same lines are printed for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from diffoci.audit.presets import QUICK, fitted_to_size
from diffoci.learning.estimator import DifFOCI
from diffoci.learning.together import Training, train_together

NETWORKS, COLUMNS, EPOCHS = 10, 112, 10
ROWS = (300, 1_000, 3_700, 15_000)  # to learn from: those of 395, 1,300, 4,900 and 20,000 people
DEVICES = ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)


def begun(objective: Any, rows: int, device: str) -> list[Training]:
    """Trainings of as many seeds, as the quick preset has them."""
    group, width = ("penalised", 1) if objective == "dF2" else ("network", 29)
    own = {**fitted_to_size(QUICK[group], rows), "width": width, "max_epochs": EPOCHS, "patience": None}
    if objective == "dF1":
        own |= {"measure": "T"}
        own.pop("neighbours", None)
    penalty = 1.0 if objective == "dF2" else 0.0
    trainings = []
    for seed in range(NETWORKS):
        draw = np.random.default_rng(seed)
        X = draw.normal(size=(rows, COLUMNS)).astype(np.float32)
        s, y = np.arange(rows) % 2, np.arange(rows) // 2 % 2
        learner = DifFOCI(objective, "nn", penalty=penalty, device=device, random_state=seed, **own)
        trainings.append(learner.begin(X, y, s, validation=(X[:60], y[:60], s[:60])))
    return trainings


def seconds(train: Callable[[list[Training]], object], objective: str, rows: int, device: str) -> tuple[float, bytes]:
    """The faster of three, and the bytes of all weights."""
    taken = []
    for _ in range(3):
        trainings = begun(objective, rows, device)
        began = time.perf_counter()
        train(trainings)
        if device == "cuda":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - began)
    weights = [value for one in trainings for value in one.network.state_dict().values()]
    return min(taken), b"".join(value.cpu().numpy().tobytes() for value in weights)


def main() -> None:
    """Print a line for every size."""
    torch.set_num_threads(1)
    for device in DEVICES:
        for objective in ("dF1", "dF2"):
            for rows in ROWS:
                alone, before = seconds(lambda all_: [one.alone() for one in all_], objective, rows, device)
                together, after = seconds(train_together, objective, rows, device)
                print(
                    f"{device}: {NETWORKS} networks for {objective}, {rows:,} rows, {EPOCHS} epochs: {alone:.2f} s by "
                    f"themselves, {together:.2f} s side by side; same bytes: {before == after}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

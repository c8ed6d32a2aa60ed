"""The paper's classifier: a network of three hidden layers, whose last hidden layer is one of the two places probed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from diffoci.inputs import Floats, Ints, Matrix
from diffoci.learning._batches import Batches
from diffoci.learning.linear import linear
from diffoci.learning.models import Rectify, mlp
from diffoci.learning.setup import Setup
from diffoci.learning.training import Schedule


@dataclass(frozen=True, eq=False)
class Classifier:
    """A trained network: inputs centred and scaled, the hidden layers (`body`), the scores of the classes (`head`)."""

    body: nn.Module
    head: nn.Module
    centre: Tensor
    scale: Tensor

    @torch.no_grad()
    def last_layer(self, z: Matrix) -> Matrix:
        """What the last hidden layer holds of these rows."""
        return np.asarray(self.body(self.standardised(z)).cpu().numpy())

    @torch.no_grad()
    def predict_proba(self, z: Matrix) -> Floats:
        """Probability of every class."""
        return np.asarray(self.scores(self.standardised(z)).softmax(dim=1).double().cpu().numpy())

    def scores(self, rows: Tensor) -> Tensor:
        """Logits of standardised rows."""
        logits: Tensor = self.head(self.body(rows))
        return logits

    def standardised(self, z: Matrix) -> Tensor:
        """These rows with the training rows' centre at 0 and their spread 1, on the device."""
        rows = torch.from_numpy(np.ascontiguousarray(z, dtype=np.float32)).to(self.centre.device)
        return (rows - self.centre) / self.scale


def fit_classifier(
    z: Matrix,
    label: Ints,
    held: tuple[Matrix, Ints],
    *,
    classes: int,
    hidden: Sequence[int] = (128, 128, 128),
    lr: float = 1e-3,
    weight_decay: float = 1e-4,
    batch_size: int = 512,
    max_epochs: int = 30,
    patience: int | None = 5,
    device: str = "auto",
    seed: int = 0,
    on_epoch: Callable[[dict[str, Any]], None] = lambda _: None,
) -> Classifier:
    """Train a ReLU network by cross-entropy; the best epoch on the validation rows `held` is kept.

    Labels are codes 0..classes-1.
    """
    setup = Setup.of(device, (seed, seed + 1), Schedule(lr, weight_decay, max_epochs, patience), batch_size)
    model = Classifier(
        body=nn.Sequential(mlp([z.shape[1], *hidden], setup.start), Rectify()).to(setup.device),
        head=linear(hidden[-1], classes, setup.start).to(setup.device),
        # Inputs of any scale: measured once on the training rows.
        centre=setup.numbers(z.mean(axis=0)),
        scale=setup.numbers(np.maximum(z.std(axis=0), 1e-6)),
    )
    x, y = model.standardised(z), setup.codes(label)
    x_held, y_held = model.standardised(held[0]), setup.codes(held[1])

    def step(rows: Tensor) -> dict[str, Tensor]:
        return {"loss": nn.functional.cross_entropy(model.scores(x.index_select(0, rows)), y[rows])}

    def validate() -> dict[str, float]:
        return {"validation_loss": float(nn.functional.cross_entropy(model.scores(x_held), y_held))}

    batches = Batches.of(label, batch_size, setup.device)
    setup.train([model.body, model.head], batches, step, validate, on_epoch)
    return model

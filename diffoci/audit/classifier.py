"""The paper's classifier: a network of three hidden layers, whose last hidden layer is one of the two places probed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from diffoci.batches import Batches
from diffoci.inputs import Floats, Ints
from diffoci.models import linear, mlp
from diffoci.training import Schedule, few_threads, pick_device, train

Matrix = NDArray[np.float32]


class NetworkClassifier:
    """A ReLU network trained by cross-entropy, the best epoch by validation.

    Parameters
    ----------
    classes : int
        Number of classes; labels are codes 0..classes-1.
    hidden, lr, weight_decay, batch_size, max_epochs, patience
        Its size and training.
    """

    def __init__(
        self,
        classes: int,
        *,
        hidden: Sequence[int] = (128, 128, 128),
        lr: float = 1e-3,
        weight_decay: float = 1e-4,
        batch_size: int = 512,
        max_epochs: int = 30,
        patience: int = 5,
        device: str = "auto",
        seed: int = 0,
    ) -> None:
        self.classes = classes
        self.hidden = tuple(hidden)
        self.schedule = Schedule(lr, weight_decay, max_epochs, patience)
        self.batch_size = batch_size
        self.device = pick_device(device)
        self.seed = seed

    def fit(
        self,
        z: Matrix,
        label: Ints,
        held: tuple[Matrix, Ints],
        on_epoch: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> NetworkClassifier:
        """Train on rows; `held` are the validation rows."""
        start = torch.Generator().manual_seed(self.seed)
        order = torch.Generator(device=self.device).manual_seed(self.seed + 1)
        self.body = nn.Sequential(mlp([z.shape[1], *self.hidden], start), nn.ReLU()).to(self.device)
        self.head = linear(self.hidden[-1], self.classes, start).to(self.device)
        # Inputs of any scale: measured once on the training rows.
        self.centre = self._tensor(z.mean(axis=0))
        self.scale = self._tensor(np.maximum(z.std(axis=0), 1e-6))
        x, y = self._rows(z), torch.from_numpy(label).to(self.device)
        x_held, y_held = self._rows(held[0]), torch.from_numpy(held[1]).to(self.device)

        def step(rows: Tensor) -> dict[str, Tensor]:
            return {"loss": nn.functional.cross_entropy(self.head(self.body(x[rows])), y[rows])}

        def validate() -> dict[str, float]:
            return {"validation_loss": float(nn.functional.cross_entropy(self.head(self.body(x_held)), y_held))}

        model = nn.ModuleList([self.body, self.head])
        with few_threads(self.batch_size, self.device):
            batches = Batches.of(label, self.batch_size, self.device)
            train(model, batches, step, validate, schedule=self.schedule, generator=order, on_epoch=on_epoch)
        return self

    @torch.no_grad()
    def last_layer(self, z: Matrix) -> Matrix:
        """What the last hidden layer holds of these rows."""
        return np.asarray(self.body(self._rows(z)).cpu().numpy())

    @torch.no_grad()
    def predict_proba(self, z: Matrix) -> Floats:
        """Probability of every class."""
        return self.head(self.body(self._rows(z))).softmax(dim=1).double().cpu().numpy()

    def _tensor(self, values: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)).to(self.device)

    def _rows(self, z: Matrix) -> Tensor:
        return (self._tensor(z) - self.centre) / self.scale

"""The rival: a network of the same size trained against an adversary that guesses the sensitive attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from diffoci.audit.classifier import Matrix
from diffoci.batches import Batches
from diffoci.fitting import some_rows
from diffoci.inputs import Ints
from diffoci.models import Dropout, Network, linear, mlp
from diffoci.training import Schedule, few_threads, pick_device, train


class _Reverse(torch.autograd.Function):
    """The identity forwards; the gradient, turned round and weighted, backwards."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, weight: float) -> Tensor:
        ctx.weight = weight
        return z.view_as(z)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        return -ctx.weight * upstream, None


class Adversary:
    """Gradient reversal: keep what predicts y, lose what an adversary can use to guess S.

    Parameters
    ----------
    weight : float
        Strength of the reversed gradient.
    width, hidden, lr, weight_decay, batch_size, max_epochs, patience, dropout
        As of `DifFOCI`.
    """

    def __init__(
        self,
        *,
        weight: float,
        width: int,
        hidden: Sequence[int],
        lr: float,
        weight_decay: float,
        batch_size: int,
        max_epochs: int,
        patience: int,
        device: str,
        seed: int,
        dropout: float = 0.0,
    ) -> None:
        self.weight = weight
        self.width = width
        self.hidden = hidden
        self.dropout = dropout
        self.schedule = Schedule(lr, weight_decay, max_epochs, patience)
        self.batch_size = batch_size
        self.device = pick_device(device)
        self.seed = seed

    def fit(
        self,
        x: Matrix,
        label: Ints,
        group: Ints,
        held: tuple[Matrix, Ints, Ints],
        on_epoch: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> Adversary:
        """Train on rows; the kept epoch predicts y of `held` rows best, less what the adversary sees of S there."""
        start = torch.Generator().manual_seed(self.seed)
        order = torch.Generator(device=self.device).manual_seed(self.seed + 1)
        classes, groups = int(label.max()) + 1, int(group.max()) + 1
        dropout = Dropout(self.dropout, order) if self.dropout else None
        self.network = Network(x.shape[1], self.hidden, self.width, start, dropout=dropout).to(self.device)
        head = linear(self.width, classes, start).to(self.device)
        adversary = mlp([self.width, 64, 64, groups], start).to(self.device)
        rows, y, s = self._rows(x), self._codes(label), self._codes(group)
        x_held, y_held, s_held = self._rows(held[0]), self._codes(held[1]), self._codes(held[2].clip(max=groups - 1))
        some = rows[some_rows(len(rows), self.device)]
        entropy = nn.functional.cross_entropy
        share = torch.bincount(s, minlength=groups).float() / len(s)
        uncertainty = -(share * share.clamp_min(1e-9).log()).sum()

        def step(batch: Tensor) -> dict[str, Tensor]:
            z = self.network(rows[batch])
            predicted = entropy(head(z), y[batch])
            guessed = entropy(adversary(_Reverse.apply(z, self.weight)), s[batch])
            return {"loss": predicted + guessed}

        def validate() -> Mapping[str, float]:
            self.network.calibrate(some)
            z = self.network(x_held)
            seen = (uncertainty - entropy(adversary(z), s_held)).clamp_min(0)
            return {"validation_loss": float(entropy(head(z), y_held) + self.weight * seen)}

        model = nn.ModuleList([self.network, head, adversary])
        with few_threads(self.batch_size, self.device):
            batches, _ = Batches.by_label(label, group, self.batch_size, self.device)
            train(model, batches, step, validate, schedule=self.schedule, generator=order, on_epoch=on_epoch)
        self.network.calibrate(rows)
        return self

    @torch.no_grad()
    def transform(self, x: Matrix) -> Matrix:
        """The learned representation."""
        return np.asarray(self.network(self._rows(x)).cpu().numpy())

    def _rows(self, x: Matrix) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).to(self.device)

    def _codes(self, code: Ints) -> Tensor:
        return torch.from_numpy(code.astype(np.int64)).to(self.device)

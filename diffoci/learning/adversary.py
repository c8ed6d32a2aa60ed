"""The rival: a network of the same size trained against an adversary that guesses the sensitive attribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from diffoci.learning._batches import Batches
from diffoci.learning.linear import linear
from diffoci.learning.models import Network, mlp
from diffoci.learning.setup import Rows, Setup, enough_rows
from diffoci.learning.together import Training
from diffoci.learning.training import Schedule

_ADVERSARY_LAYERS = (64, 64)


class _Reverse(torch.autograd.Function):
    """The identity forwards; the gradient, turned round and weighted, backwards."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, weight: float) -> Tensor:
        ctx.weight = weight
        return z.view_as(z)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        return -ctx.weight * upstream, None


_reverse: Callable[[Tensor, float], Tensor] = _Reverse.apply


def against_adversary(
    training: Rows,
    held: Rows,
    *,
    weight: float,
    width: int,
    hidden: Sequence[int],
    lr: float,
    weight_decay: float,
    batch_size: int,
    max_epochs: int,
    patience: int | None,
    device: str,
    seed: int,
    dropout: float = 0.0,
) -> tuple[Training, Network]:
    """Gradient reversal, ready to begin, and its network: keep what predicts y, lose what an adversary sees of S.

    `weight` is the strength of the reversed gradient; the other settings are those of `DifFOCI`. The kept epoch
    predicts y of the `held` rows best, less what the adversary sees of S there.
    """
    if training.group is None or held.group is None:
        raise ValueError("The sensitive attribute is missing; an adversary needs that of every row.")
    setup = Setup.of(device, (seed, seed + 1), Schedule(lr, weight_decay, max_epochs, patience), batch_size)
    classes, groups = int(training.label.max()) + 1, int(training.group.max()) + 1
    network = setup.network(training.x.shape[1], hidden, width, dropout=dropout)
    head = linear(width, classes, setup.start).to(setup.device)
    adversary = mlp([width, *_ADVERSARY_LAYERS, groups], setup.start).to(setup.device)
    x, y, s = setup.numbers(training.x), setup.codes(training.label), setup.codes(training.group)
    x_held, y_held = setup.numbers(held.x), setup.codes(held.label)
    s_held = setup.codes(held.group.clip(max=groups - 1))
    some = x[enough_rows(len(x)).to(setup.device)]
    entropy = nn.functional.cross_entropy
    share = torch.bincount(s, minlength=groups).float() / len(s)
    uncertainty = -(share * share.clamp_min(1e-9).log()).sum()

    def loss(z: Tensor, rows: Tensor) -> dict[str, Tensor]:
        predicted = entropy(head(z), y[rows])
        guessed = entropy(adversary(_reverse(z, weight)), s[rows])
        return {"loss": predicted + guessed}

    def validate() -> dict[str, float]:
        network.calibrate(some)
        z = network(x_held)
        seen = (uncertainty - entropy(adversary(z), s_held)).clamp_min(0)
        return {"validation_loss": float(entropy(head(z), y_held) + weight * seen)}

    batches, _ = Batches.by_label(training.label, training.group, batch_size, setup.device)
    return Training(network, (head, adversary), x, batches, loss, validate, setup), network

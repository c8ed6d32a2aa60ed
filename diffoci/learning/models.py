"""The three parameterisations: one weight per feature (vec), a network (NN), and a network with weighted outputs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from diffoci.learning.linear import linear

ModelName = Literal["vec", "nn", "vec-nn"]
MODELS = ("vec", "nn", "vec-nn")
INITIAL_VARIANCE = 0.1


class Vec(nn.Module):
    """theta * X, one weight for each feature; columns of one feature (its indicators) share its weight.

    The output is not standardised: the size of theta is the message.
    """

    feature_of_column: Tensor

    def __init__(self, feature_of_column: Tensor, generator: torch.Generator) -> None:
        super().__init__()
        self.register_buffer("feature_of_column", feature_of_column)
        features = int(feature_of_column.max()) + 1
        self.theta = nn.Parameter(1 + math.sqrt(INITIAL_VARIANCE) * torch.randn(features, generator=generator))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.theta[self.feature_of_column]

    def calibrate(self, x: Tensor) -> None:
        """Nothing to measure."""


class Standardize(nn.Module):
    """Subtract the mean and divide by the standard deviation, of the batch in training, of all rows afterwards.

    Without it a network meets any penalty on the soft coefficient by shrinking its output.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("deviation", torch.ones(width))

    def forward(self, z: Tensor) -> Tensor:
        if self.training:
            return (z - z.mean(dim=0)) / (z.var(dim=0, correction=0) + 1e-5).sqrt()
        return (z - self.mean) / self.deviation

    def calibrate(self, z: Tensor) -> None:
        """Take over the statistics of these rows."""
        self.mean.copy_(z.mean(dim=0))
        self.deviation.copy_((z.var(dim=0, correction=0) + 1e-5).sqrt())


@dataclass(frozen=True)
class Dropout:
    """The share of hidden values left out of every training step, and where chance comes from, on the same device."""

    share: float
    generator: torch.Generator


class Thinned(torch.autograd.Function):
    """ReLU and dropout in one; where `kept`, which is used up, has 0 the value is left out, elsewhere it has 1."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, kept: Tensor, share: float) -> Tensor:
        out = kept.mul_(x).clamp_min_(0).div_(1 - share)
        ctx.share = share
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None, None]:
        (out,) = ctx.saved_tensors
        # What went through is what came out positive.
        return torch.ops.aten.threshold_backward(upstream, out, 0).div_(1 - ctx.share), None, None


class Rectify(nn.ReLU):
    """ReLU, in training with dropout: one seed, one result, whatever else draws random numbers.

    It follows a linear layer, which needs no look at what it gave, so the numbers are changed in their place.
    """

    def __init__(self, dropout: Dropout | None = None) -> None:
        super().__init__(inplace=True)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.dropout is None:
            return super().forward(x)
        thinned: Tensor = Thinned.apply(x, self.kept(x), self.dropout.share)  # type: ignore[no-untyped-call]
        return thinned

    def kept(self, x: Tensor) -> Tensor:
        """1 for every value of x that stays in this step and 0 for the others, by this layer's own source of chance."""
        assert self.dropout is not None
        share, generator = self.dropout.share, self.dropout.generator
        if x.device.type != "cpu":
            return torch.rand(x.shape, generator=generator, device=x.device, dtype=x.dtype).ge_(share)
        # A processor draws one number after the other, as long as a layer's product takes: one draw serves four values.
        draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None, generator=generator)
        of_values = draws.view(torch.int16)[: x.numel()].view(x.shape)
        return of_values.ge_(round(share * 2**16) - 2**15).to(x.dtype)


class Network(nn.Module):
    """A ReLU network with a standardised output, for vec-NN weighted by theta of unit root mean square."""

    def __init__(
        self,
        columns: int,
        hidden: Sequence[int],
        width: int,
        generator: torch.Generator,
        *,
        weighted: bool = False,
        dropout: Dropout | None = None,
    ) -> None:
        super().__init__()
        self.layers = mlp([columns, *hidden, width], generator, dropout)
        self.standardize = Standardize(width)
        start = 1 + math.sqrt(INITIAL_VARIANCE) * torch.randn(width, generator=generator)
        self.theta = nn.Parameter(start) if weighted else None

    def forward(self, x: Tensor) -> Tensor:
        return self.finished(self.layers(x))

    def finished(self, out: Tensor) -> Tensor:
        """The representation, given what the last layer has put out."""
        z: Tensor = self.standardize(out)
        return z if self.theta is None else z * self.theta / self.theta.square().mean().sqrt()

    @torch.no_grad()
    def calibrate(self, x: Tensor) -> None:
        """Measure the output's mean and deviation on all training rows."""
        self.standardize.calibrate(self.layers(x))


class Unchanged(nn.Module):
    """The rows as they come: standard data are a representation too."""

    def forward(self, x: Tensor) -> Tensor:
        return x


class Eraser(nn.Module):
    """Rows less their part along a few directions, in double precision: what linear erasure leaves."""

    left: Tensor
    right: Tensor
    centre: Tensor

    def __init__(self, left: Tensor, right: Tensor, centre: Tensor) -> None:
        super().__init__()
        for name, value in (("left", left), ("right", right), ("centre", centre)):
            self.register_buffer(name, value.double())

    def forward(self, x: Tensor) -> Tensor:
        rows = x.double()
        return (rows - ((rows - self.centre) @ self.right.T) @ self.left.T).float()


def mlp(sizes: Sequence[int], generator: torch.Generator, dropout: Dropout | None = None) -> nn.Sequential:
    """Linear layers of these sizes with ReLU between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [linear(inputs, outputs, generator), Rectify(dropout)]
    return nn.Sequential(*layers[:-1])

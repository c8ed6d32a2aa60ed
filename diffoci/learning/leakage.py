"""What a batch's representation gives away of the groups, in the ways a penalty can measure it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from diffoci.soft import line_agreement, soft_agreement
from diffoci.soft_response import SoftResponse, soft_response

MeasureName = Literal["T", "T-ranks", "T-codes", "projections", "hsic"]
MEASURES = ("T", "T-ranks", "T-codes", "projections", "hsic")
# Of an evenly spread column: its standard deviation is 1.
_LENGTH = 12**0.5
# By how much at most spreading evenly stretches a column: where many rows lie close together, so do their gradients.
_STEEPEST = 20.0
# Random directions of a step beside the columns themselves, and how far the most telling one turns in a step.
RANDOM_DIRECTIONS, TURN = 4, 0.3


@dataclass(frozen=True, eq=False)
class Directions:
    """Single directions of a wider representation: its columns, random ones, and the one that gives most away.

    The last is found by ascent: it begins each step as the most telling direction of the step and turns a little
    towards giving more away.
    """

    found: Tensor
    generator: torch.Generator

    @classmethod
    def of(cls, width: int, generator: torch.Generator) -> Directions:
        """Begin with the first column."""
        return cls(torch.eye(width, device=generator.device)[0].clone(), generator)

    def drawn(self) -> Tensor:
        """One direction per line: the columns, random ones, and the most telling one so far."""
        shape = (RANDOM_DIRECTIONS, len(self.found))
        random = torch.randn(shape, generator=self.generator, device=self.found.device)
        return torch.cat([self.lasting(), random / random.norm(dim=1, keepdim=True)])

    def lasting(self) -> Tensor:
        """Those that are no matter of chance."""
        return torch.cat([torch.eye(len(self.found), device=self.found.device), self.found[None]])


@dataclass(frozen=True, eq=False)
class Leakage:
    """One measure for rows of one composition.

    - "T": T(S, Z), in which every row looks at its neighbours, also where there are two groups only;
    - "T-ranks": the same with every column of Z spread evenly, so that neighbourhoods hold as many rows everywhere,
      and of several groups all weigh the same, however small;
    - "T-codes": T of the groups' codes, as the paper has it: of two groups only the second looks;
    - "projections": the same as "T" along single directions of a wider Z, each by sorting;
    - "hsic": the Hilbert-Schmidt independence criterion with a Gaussian kernel, as a share of its largest value.
    """

    measure: MeasureName
    beta: float
    response: SoftResponse
    indicators: Tensor
    directions: Directions | None = None

    @classmethod
    def of(
        cls, measure: MeasureName, code: Tensor, groups: int, *, beta: float, directions: Directions | None = None
    ) -> Leakage:
        response = soft_response(
            code, nominal=True, classes=groups, every_class=measure != "T-codes", alike=measure == "T-ranks"
        )
        indicators = one_hot(code, groups).to(torch.float32)
        return cls(measure, beta, response, indicators - indicators.mean(dim=0), directions)

    def of_batch(self, z: Tensor) -> Tensor:
        """The measure of these rows; around zero where nothing is given away."""
        if self.measure == "hsic":
            return self._hsic(z)
        if self.measure == "projections" and self.directions is not None and z.shape[1] > 1:
            return self._along(self.directions, z)
        return self._T(spread_evenly(z) if self.measure == "T-ranks" else z)

    def _T(self, z: Tensor) -> Tensor:
        agreement = line_agreement if z.shape[1] == 1 else soft_agreement
        near = agreement(z, self.response, beta=self.beta)
        return (near - self.response.chance) / self.response.spread.clamp_min(1e-12)

    def _along(self, directions: Directions, z: Tensor) -> Tensor:
        """Half the mean over directions, half the most telling one; without gradients none is drawn or turned."""
        looked = directions.drawn() if z.requires_grad else directions.lasting()
        values = torch.stack([self._T(z @ one[:, None]) for one in looked])
        if z.requires_grad:
            self._turn(directions, looked.index_select(0, values.detach().argmax(dim=0, keepdim=True))[0], z.detach())
        most = self._T(z @ directions.found.clone()[:, None])
        return (values.clamp_min(0).mean() + most) / 2

    def _turn(self, directions: Directions, best: Tensor, z: Tensor) -> None:
        """Turn the most telling direction towards giving more away."""
        best = best.clone().requires_grad_()
        with torch.enable_grad():
            (uphill,) = torch.autograd.grad(self._T(z @ best[:, None]), best)
        turned = best.detach() + TURN * uphill / uphill.norm().clamp_min(1e-12)
        directions.found.copy_(turned / turned.norm())

    def _hsic(self, z: Tensor) -> Tensor:
        """With S centred, the criterion is a sum over groups of quadratic forms; its largest value is S with itself."""
        kernel = torch.exp(-(torch.cdist(z, z).square() if z.shape[1] > 1 else (z - z.T).square()) / 2)
        centred = self.indicators
        most = (centred.T @ centred).square().sum().sqrt() * _centred_norm(kernel.detach())
        return (centred * (kernel @ centred)).sum() / most.clamp_min(1e-12)


def spread_evenly(z: Tensor) -> Tensor:
    """Every column by its ranks, from 0 to the length at which its standard deviation is 1.

    T of ranks has the limit of T. A soft neighbourhood then holds the same share of rows everywhere. Of a column that
    crowds most rows into one place, as that of a rare outcome does, it would hold nearly all of them there, and what
    lies finer would stay unseen. Between the quantiles of the rows, which the gradient takes as given, the lines are
    straight.
    """
    rows, pieces = len(z), max(2, round(len(z) ** 0.5))
    step = _LENGTH / pieces
    with torch.no_grad():
        places = torch.linspace(0, rows - 1, pieces + 1, device=z.device).round().long()
        quantiles = z.sort(dim=0).values[places].T.contiguous()
        above = torch.searchsorted(quantiles, z.T.contiguous(), right=True).clamp(1, pieces)
        low, high = quantiles.gather(1, above - 1).T, quantiles.gather(1, above).T
    even: Tensor = step * ((above.T - 1) + (z - low) / (high - low).clamp_min(step / _STEEPEST))
    return even


def _centred_norm(kernel: Tensor) -> Tensor:
    """The Frobenius norm of a kernel whose rows and columns are centred."""
    rows, means = len(kernel), kernel.mean(dim=0)
    return (kernel.square().sum() - 2 * rows * means.square().sum() + (rows * means.mean()) ** 2).clamp_min(0).sqrt()

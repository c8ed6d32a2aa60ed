"""Soft neighbours on a line: T_{n,beta} of one column, exact, in n log n steps and without an n x n matrix.

On a line the weight of a neighbour is exp(-beta |z_i - z_j|), and along the sorted points such weights multiply: what a
point sees to its left is what the point before it sees, and that point itself, times one decay. So the sums over all
neighbours on one side are a running sum with decays between 0 and 1, in which nothing overflows or cancels, and the
gradient needs two more of them.

Rows may be asked to see rows of their own group only: the groups are then lines of their own, laid end to end with
nothing passing from one to the next. That is the coefficient given a discrete attribute whose groups lie infinitely far
apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from diffoci.soft_response import SoftResponse

STRETCH = 32  # points summed by doubling before one number is carried on to the next stretch
FEW = 192  # rows up to which all pairs at once are quicker than many small steps


def weights_(closeness: Tensor) -> Tensor:
    """exp of numbers up to 0, in their place; 0 for weights that no sum with the nearest row's weight of 1 can hold.

    Sharp neighbours send nearly all numbers there, and on a processor exp takes ten times as long where it underflows,
    products with the denormal numbers just before that twice as long.
    """
    lowest = 0.75 * math.log(torch.finfo(closeness.dtype).tiny)
    return torch.threshold_(closeness.clamp_min_(lowest).exp_(), 2 * math.exp(lowest), 0.0)


class LineAgreement(torch.autograd.Function):
    """Sum over rows of min(r_i, sum_j w_ij r_j) with softmax weights w along one column, and its gradient."""

    @staticmethod
    def forward(ctx: Any, column: Tensor, response: SoftResponse, beta: float, group: Tensor | None) -> Tensor:
        if len(column) <= FEW:
            total, gradient = _of_pairs(column.detach()[:, 0], response, beta, group)
            ctx.save_for_backward(gradient)
            return total
        line = _Line.of(column.detach()[:, 0], beta, group)
        seen = _Seen.of(line, response)
        if column.requires_grad:
            ctx.save_for_backward(seen.gradient(line, response) * beta)
        return (torch.minimum(response.cap, seen.mean[response.active]) * response.scale).sum()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return (upstream * gradient)[:, None], None, None, None


@dataclass(frozen=True)
class _Line:
    """The distinct points in order: the point of every row, rows at each point, and what lies between two points.

    There is room for as many points as rows, so that no number has to leave the device; those beyond the last have no
    rows. `before` and `after` are the weights of the points on either side, in units of the nearest other row's, so
    that the largest weight of every row is 1; `decay` is what passes from one point to the next.
    """

    place: Tensor
    size: Tensor
    decay: Tensor
    before: Tensor
    after: Tensor

    @classmethod
    def of(cls, values: Tensor, beta: float, group: Tensor | None = None) -> _Line:
        ordered, order = values.sort()
        differs = ordered.diff() != 0
        apart = torch.zeros_like(differs)
        if group is not None:
            by_group = group[order].sort(stable=True)
            ordered, order = ordered[by_group.indices], order[by_group.indices]
            apart = by_group.values.diff() != 0
            differs = (ordered.diff() != 0) | apart
        begins = torch.cat([torch.zeros_like(order[:1]), differs.to(order.dtype)]).cumsum(0)
        place = torch.empty_like(order).scatter_(0, order, begins)
        size = torch.zeros_like(values).index_add_(0, place, torch.ones_like(values))
        step = torch.where(apart, torch.inf, ordered.diff() * beta)
        # Rows of one point write nothing, so each gap is written once; the rest, beyond the last point, stays infinite.
        gap = values.new_full((len(values) + 1,), torch.inf)
        gap.scatter_(0, torch.where(differs, begins[:-1], len(values)), step)
        gap = gap[: len(values) - 1]
        ends = gap.new_full((1,), torch.inf)
        before, after = torch.cat([ends, gap]), torch.cat([gap, ends])
        near = torch.where(size > 1, torch.zeros_like(before), torch.minimum(before, after))
        near = torch.where(near.isinf(), torch.zeros_like(near), near)  # no other row to see
        return cls(place, size, torch.exp(-gap), torch.exp(near - before), torch.exp(near - after))

    def sums(self, forwards: Tensor, backwards: Tensor) -> tuple[Tensor, Tensor]:
        """Decayed sums at every point: of the first values at itself and all before it, the second and all after it."""
        both = torch.stack([forwards, backwards.flip(0)], dim=1)
        decays = torch.stack([self.decay, self.decay.flip(0)], dim=1)
        summed = _running(both, torch.cat([torch.zeros_like(decays[:1]), decays]))
        return summed[:, 0], summed[:, 1].flip(0)

    def beside(self, at_points: Tensor) -> tuple[Tensor, Tensor]:
        """What each point sees of the points before and after it, in units of its largest weight."""
        left, right = self.sums(at_points, at_points)
        nothing = torch.zeros_like(left[:1])
        return (
            self.before[:, None] * torch.cat([nothing, left[:-1]]),
            self.after[:, None] * torch.cat([right[1:], nothing]),
        )

    def cast(self, at_points: Tensor) -> tuple[Tensor, Tensor]:
        """The other way round: what values at points give to each point before them, and to each point after them."""
        nothing = torch.zeros_like(at_points[:1])
        to_the_left = torch.cat([(self.before[:, None] * at_points)[1:], nothing])
        to_the_right = torch.cat([nothing, (self.after[:, None] * at_points)[:-1]])
        after, before = self.sums(to_the_right, to_the_left)
        return before, after

    def collect(self, at_rows: Tensor) -> Tensor:
        """Sums of rows' values at every point."""
        return at_rows.new_zeros(len(self.size), at_rows.shape[1]).index_add_(0, self.place, at_rows)


@dataclass(frozen=True)
class _Seen:
    """What every row sees: the weighted mean of its neighbours' values, the mass of weights, and both sides apart."""

    value: Tensor
    mean: Tensor
    mass: Tensor
    left: Tensor
    right: Tensor

    @classmethod
    def of(cls, line: _Line, response: SoftResponse) -> _Seen:
        value = response.value if response.value.ndim == 2 else response.value[:, None]
        counted = torch.cat([value, torch.ones_like(value[:, :1])], dim=1)
        here = line.collect(counted)
        left, right = (side[line.place] for side in line.beside(here))
        # Rows at one's own point are nearest where there are any, so their weight is the largest: 1.
        whole = left + right + torch.where(line.size[line.place, None] > 1, here[line.place] - counted, 0.0)
        mass = whole[:, -1]
        mean = _own(whole[:, :-1], response) / mass.clamp_min(torch.finfo(mass.dtype).tiny)
        return cls(value, mean, mass, left, right)

    def gradient(self, line: _Line, response: SoftResponse) -> Tensor:
        """Of the sum over rows, for beta = 1: each row pulls, and is pulled by, the points on either side."""
        active = response.active
        slope = torch.zeros_like(self.mean)
        slope[active] = (self.mean[active] < response.cap).to(slope.dtype) * response.scale
        pull = slope / self.mass.clamp_min(torch.finfo(slope.dtype).tiny)
        left, right = (_own(side[:, :-1], response) - self.mean * side[:, -1] for side in (self.left, self.right))
        sent = pull[:, None]
        if response.code is not None:  # a neighbour counts for rows of its own class only
            sent = sent * torch.nn.functional.one_hot(response.code, self.value.shape[1]).to(pull.dtype)
        sides = line.cast(line.collect(torch.cat([sent, (pull * self.mean)[:, None]], dim=1)))
        before, after = (self._taken(side[line.place], response) for side in sides)
        return pull * (right - left) + before - after

    def _taken(self, side: Tensor, response: SoftResponse) -> Tensor:
        own = _own(side[:, :-1], response)
        return (own if response.code is not None else own * self.value[:, 0]) - side[:, -1]


def _own(of_classes: Tensor, response: SoftResponse) -> Tensor:
    """The column of each row's own class; the only one where the response is ranked."""
    return of_classes[:, 0] if response.code is None else of_classes.gather(1, response.code[:, None])[:, 0]


def _of_pairs(values: Tensor, response: SoftResponse, beta: float, group: Tensor | None) -> tuple[Tensor, Tensor]:
    """The sum and its gradient from the weights of all pairs, for few rows."""
    active = response.active
    apart = values[active, None] - values
    distance = (apart * beta).abs().scatter(1, active[:, None], torch.inf)
    if group is not None:
        distance = distance.masked_fill(group[active, None] != group, torch.inf)
    near = distance.amin(dim=1, keepdim=True)
    weight = weights_(torch.where(near.isinf(), 0.0, near) - distance)
    value = response.value if response.code is None else response.value.T[response.code]
    mass = weight.sum(dim=1).clamp_min(torch.finfo(weight.dtype).tiny)
    mean = (weight * value).sum(dim=1) / mass
    slope = (mean < response.cap).to(mass.dtype) * response.scale / mass
    pull = weight * (value - mean[:, None]) * (apart.sign() * (-beta * slope)[:, None])
    gradient = (-pull.sum(dim=0)).index_add(0, active, pull.sum(dim=1))
    return (torch.minimum(response.cap, mean) * response.scale).sum(), gradient


def _running(values: Tensor, decay: Tensor) -> Tensor:
    """s_k = values_k + decay_k s_{k-1} along the first axis: in stretches by doubling, then from one to the next."""
    rows = len(values)
    if rows <= STRETCH:
        return _doubled(values[None], decay[None])[0][0]
    short = -rows % STRETCH
    padded = torch.nn.functional.pad(values, (0, 0, 0, 0, 0, short)).unflatten(0, (-1, STRETCH))
    total, reach = _doubled(padded, torch.nn.functional.pad(decay, (0, 0, 0, short)).unflatten(0, (-1, STRETCH)))
    carried = _running(total[:, -1], reach[:, -1])
    total[1:] += reach[1:, :, :, None] * carried[:-1, None]
    return total.flatten(0, 1)[:rows]


def _doubled(values: Tensor, decay: Tensor) -> tuple[Tensor, Tensor]:
    """The same along the second axis, with the product of decays from its beginning: log passes over all at once."""
    total, reach, step = values, decay, 1
    while step < values.shape[1]:
        further = torch.addcmul(total[:, step:], reach[:, step:, :, None], total[:, :-step])
        total = torch.cat([total[:, :step], further], dim=1)
        reach = torch.cat([reach[:, :step], reach[:, step:] * reach[:, :-step]], dim=1)
        step *= 2
    return total, reach

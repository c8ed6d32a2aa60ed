"""T_{n,beta}: the coefficient T with soft nearest neighbours, differentiable, exact, in linear memory.

The neighbour of row i is a softmax over all other rows j of -beta * distance(i, j). Three facts keep it cheap:

- rows whose rank is the smallest agree fully with anybody, so they are constants (for a 0/1 response: all zeros);
- the part that conditions on a discrete attribute depends on the sizes of its groups only;
- the value is a sum over rows, so its gradient is accumulated block by block during the forward pass and nothing
  of size n x n is ever kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from diffoci.response import CONSTANT
from diffoci.soft_line import LineAgreement, weights_
from diffoci.soft_response import SoftResponse, soft_response

# Up to this many coordinates plain differences are as fast as a matrix product, and do not cancel.
FEW_COORDINATES = 4
# Squares of larger numbers than this overflow in single precision once they are added up.
SHARPEST = 1e15


def soft_T(
    y: Tensor,
    z: Tensor,
    given: Tensor | None = None,
    beta: float = 5.0,
    block: int | None = None,
    *,
    nominal: bool = False,
) -> Tensor:
    """How far y is a function of z given `given`, differentiable in z (and in `given` if it asks for gradients).

    Parameters
    ----------
    y : tensor of shape (n,)
        Response.
    z, given : tensor of shape (n,) or (n, d)
        Coordinates; half precision is computed in float32.
    beta : float
        Sharpness of the soft neighbour; T is the limit of large beta.
    block : int, optional
        Rows handled at once; chosen from the device's memory by default.
    nominal : bool
        Whether the values of y are names of classes, without an order.

    Notes
    -----
    As beta grows this becomes T wherever rows have one nearest neighbour, and for classes always. Where
    several are equally near and y has more than two ranks, the paper's definition takes the smaller of r_i and
    their mean rank, T the mean of the smaller ones.

    Examples
    --------
    >>> z = torch.linspace(0, 1, 50, dtype=torch.float64, requires_grad=True)
    >>> value = soft_T((z > 0.5).double(), z, beta=100.0)
    >>> value.backward()
    >>> 0.8 < value.item() < 1 and z.grad.shape == z.shape
    True
    """
    if not 0 < beta < math.inf:
        raise ValueError(f"beta must be positive and finite, not {beta}.")
    features = _coordinates(z, "z")
    conditions = None if given is None else _coordinates(given, "given")
    _check(y, features, conditions)
    response = soft_response(y, nominal=nominal, dtype=features.dtype)
    if conditions is None:
        features, beta = _within_reach(features, beta)
        if features.shape[1] == 1 and block is None:
            near = line_agreement(features, response, beta=beta)
        else:
            near = soft_agreement(features, response, beta=beta, block=block)
        return (near - response.chance) / response.spread
    both, beta = _within_reach(torch.cat([conditions.to(features.dtype), features], dim=1), beta)
    conditions, features = both.split([conditions.shape[1], features.shape[1]], dim=1)
    near = soft_agreement(torch.cat([conditions, features], dim=1), response, beta=beta, block=block)
    known = _known(conditions, response, beta=beta, block=block)
    return conditional_value(near, known, response)


def _within_reach(points: Tensor, beta: float) -> tuple[Tensor, float]:
    """Points and sharpness whose products can be squared; sharper than this only the nearest neighbour is left."""
    largest = float(points.detach().abs().max())
    if beta * largest <= SHARPEST:
        return points, beta
    scale = 2.0 ** -math.frexp(largest)[1]  # a power of two: no digit changes
    return points * scale, min(beta / scale, SHARPEST)


def conditional_value(near: Tensor, known: Tensor, response: SoftResponse) -> Tensor:
    """Share of what `given` leaves open that is explained; 1 where it leaves nothing open."""
    left = response.full - known
    open_ = left > 8 * torch.finfo(left.dtype).eps * response.full
    return torch.where(open_, (near - known) / torch.where(open_, left, 1.0), torch.ones_like(left))


def soft_agreement(points: Tensor, response: SoftResponse, *, beta: float, block: int | None = None) -> Tensor:
    """Sum over rows of min(r_i, sum_j w_ij r_j) with the softmax weights w of `points` and r as in `response`."""
    total: Tensor = _SoftAgreement.apply(points, response, beta, block or _block(points))  # type: ignore[no-untyped-call]
    return total


def line_agreement(column: Tensor, response: SoftResponse, *, beta: float, group: Tensor | None = None) -> Tensor:
    """The same for points on a line, in n log n steps; sums are taken in another order, so last digits differ.

    With `group`, the codes of a discrete attribute, rows see rows of their own group only.
    """
    total: Tensor = LineAgreement.apply(column, response, beta, group)  # type: ignore[no-untyped-call]
    return total


def group_agreement(code: Tensor, distance: Tensor, response: SoftResponse, *, beta: float) -> Tensor:
    """`soft_agreement` when row i stands at point `code[i]` of a few points with the given distances."""
    groups = len(distance)
    value = response.value if response.value.ndim == 2 else response.value[:, None]
    size = torch.zeros(groups, dtype=value.dtype, device=value.device).index_add_(0, code, torch.ones_like(value[:, 0]))
    held = torch.zeros(groups, value.shape[1], dtype=value.dtype, device=value.device).index_add_(0, code, value)
    away = distance.clone().fill_diagonal_(torch.inf).masked_fill_(size == 0, torch.inf)
    # The nearest other row is at distance 0 where a group has several, else in the nearest other group.
    nearest = torch.where(size > 1, torch.zeros_like(size), away.amin(dim=1))
    weight = torch.exp(-beta * (away - torch.where(nearest.isinf(), torch.zeros_like(nearest), nearest)[:, None]))
    company = (size > 1).to(value.dtype)
    mass = weight @ size + company * (size - 1)
    out = (weight @ held + company[:, None] * held)[code] - company[code, None] * value
    out = out / mass[code, None].clamp_min(torch.finfo(value.dtype).tiny)
    own = out[response.active]
    own = own[:, 0] if response.code is None else own.gather(1, response.code[:, None])[:, 0]
    return (torch.minimum(response.cap, own) * response.scale).sum()


def _known(conditions: Tensor, response: SoftResponse, *, beta: float, block: int | None) -> Tensor:
    if conditions.requires_grad:
        return soft_agreement(conditions, response, beta=beta, block=block)
    points, code = torch.unique(conditions, dim=0, return_inverse=True)
    if len(points) > max(64, len(conditions) // 8):
        return soft_agreement(conditions, response, beta=beta, block=block)
    distance = (points[:, None] - points[None]).square().sum(dim=2).sqrt()
    return group_agreement(code, distance, response, beta=beta)


class _SoftAgreement(torch.autograd.Function):
    """Value and gradient in one pass over blocks of active rows."""

    @staticmethod
    def forward(ctx: Any, points: Tensor, response: SoftResponse, beta: float, block: int) -> Tensor:
        wants_gradient = points.requires_grad
        # Scaling by beta first makes distances carry it; centring keeps products small.
        scaled = (points.detach() - points.detach().mean(dim=0)) * beta
        rows = _Rows.of(scaled, min(block, len(response.active)))
        total = scaled.new_zeros(())
        gradient = torch.zeros_like(rows.augmented) if wants_gradient else None
        for begin in range(0, len(response.active), block):
            total += _visit(rows, response, slice(begin, begin + block), gradient)
        if gradient is not None:
            # Column d holds the sums A 1: the gradient is (A 1 + A^T 1) * z - (A + A^T) z.
            ctx.save_for_backward((gradient[:, -1:] * scaled - gradient[:, :-1]) * beta)
        return total

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return upstream * gradient, None, None, None


@dataclass(frozen=True)
class _Rows:
    """Points with what every block needs of them; `room` is memory used again by each block."""

    points: Tensor
    augmented: Tensor
    left: Tensor
    right: Tensor
    coincident: Tensor | float
    room: Tensor

    @classmethod
    def of(cls, points: Tensor, block: int) -> _Rows:
        ones = torch.ones_like(points[:, :1])
        squared = points.square().sum(dim=1, keepdim=True)
        limit = 8 * torch.finfo(points.dtype).eps * squared.max()
        return cls(
            points=points,
            augmented=torch.cat([points, ones], dim=1),
            left=torch.cat([-2 * points, squared, ones], dim=1),
            right=torch.cat([points, ones, squared], dim=1).T.contiguous(),
            # On a processor reading a number costs nothing and saves a pass; elsewhere it would stall the device.
            coincident=float(limit) if points.device.type == "cpu" else limit,
            room=points.new_empty(3, block, len(points)),
        )

    def distances(self, rows: Tensor, out: Tensor) -> Tensor:
        """Distances from some rows to all rows; those to themselves are infinite."""
        if self.points.shape[1] <= FEW_COORDINATES:
            out.zero_()
            for coordinate in self.points.T:
                out.add_((coordinate[rows, None] - coordinate).square_())
        else:
            torch.mm(self.left[rows], self.right, out=out)
            # What the product cannot tell from zero is zero: rounding, not distance.
            if isinstance(self.coincident, float):
                torch.threshold_(out, self.coincident, 0.0)
            else:
                out.masked_fill_(out <= self.coincident, 0.0)
        return out.sqrt_().scatter_(1, rows[:, None], torch.inf)


def _visit(rows: _Rows, response: SoftResponse, part: slice, gradient: Tensor | None) -> Tensor:
    active, cap, scale = response.active[part], response.cap[part], response.scale[part]
    first, second, third = rows.room[:, : len(active)]
    distance = rows.distances(active, first)
    weight = weights_(torch.sub(distance.amin(dim=1, keepdim=True), distance, out=second))
    mass = weight.sum(dim=1)
    if response.code is None:
        value = response.value
        out = (weight @ value) / mass
    else:
        value = response.value.T[response.code[part]]
        out = torch.mul(weight, value, out=third).sum(dim=1) / mass
    if gradient is not None:
        slope = (-(out < cap).to(mass.dtype) * scale / mass)[:, None]
        pull = torch.sub(value, out[:, None], out=third).mul_(weight)
        pull.div_(torch.threshold_(distance, 0.0, torch.inf))  # coincident rows pull in no direction
        gradient += pull.T @ (rows.augmented[active] * slope)
        gradient.index_add_(0, active, (pull @ rows.augmented) * slope)
    return (torch.minimum(cap, out) * scale).sum()


def _block(points: Tensor) -> int:
    """Rows at once: on a processor a few cache-sized buffers, elsewhere a tenth of the free memory."""
    rows = len(points)
    if points.device.type == "cuda":
        numbers = torch.cuda.mem_get_info(points.device)[0] // 10 // (points.element_size() * 4)
    elif points.device.type == "mps":
        numbers = torch.mps.recommended_max_memory() // 10 // (points.element_size() * 4)
    else:
        numbers = 1 << 20
    return max(8, min(rows, numbers // rows))


def _coordinates(values: Tensor, name: str) -> Tensor:
    if not isinstance(values, Tensor) or values.is_complex():
        raise ValueError(f"{name} must be a tensor of real numbers; convert it with torch.as_tensor first.")
    if values.ndim not in (1, 2):
        raise ValueError(f"{name} must be one column or a table of columns, but it has {values.ndim} dimensions.")
    table = values[:, None] if values.ndim == 1 else values
    if table.shape[1] == 0:
        raise ValueError(f"{name} has no columns; give at least one.")
    return table if table.dtype in (torch.float32, torch.float64) else table.to(torch.float32)


def _check(y: Tensor, features: Tensor, conditions: Tensor | None) -> None:
    if not isinstance(y, Tensor) or y.ndim != 1:
        raise ValueError("y must be a tensor of one dimension.")
    if len(y) < 2:
        raise ValueError(f"y has {len(y)} row{'' if len(y) == 1 else 's'}; at least 2 are needed.")
    for name, values in (("y", y), ("z", features), ("given", conditions)):
        if values is None:
            continue
        if len(values) != len(y):
            raise ValueError(f"{name} has {len(values)} rows but y has {len(y)}; give both the same rows.")
        if values.device != y.device:
            raise ValueError(f"{name} is on {values.device} but y is on {y.device}; move them to one device.")
        if not bool(torch.isfinite(values).all()):
            raise ValueError(f"{name} has missing or infinite values; fill or drop those rows.")
    if bool((y == y[0]).all()):
        raise ValueError(CONSTANT.format(name="y"))

"""Linear layers whose products take the processor's quickest way.

Torch multiplies matrices of single precision by MKL. Its other library, oneDNN, knows more processors: on one with
AVX-512 that MKL does not know as its maker's own, a layer of 128 by 128 takes half the time (`make bench`). Torch calls
it of itself only for other precisions, hence the call by name here, which has no gradient of its own.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

# With fewer rows or a thinner layer, what the call by name costs is more than it saves.
LEAST_ROWS, THINNEST = 256, 16
_HAS_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


class Linear(nn.Linear):
    """Torch's linear layer; of many rows on a processor the product is oneDNN's."""

    def forward(self, x: Tensor) -> Tensor:
        if not takes_onednn(x, self.weight):
            return super().forward(x)
        product: Tensor = _Product.apply(x, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return product


def linear(inputs: int, outputs: int, generator: torch.Generator) -> Linear:
    """A linear layer with torch's usual start, drawn from our own generator: one seed, one result."""
    # Torch's own way to leave out the first numbers (skip_init) loads sympy: a third of a second in every process.
    layer = Linear(inputs, outputs, device="meta")
    layer.weight, layer.bias = (nn.Parameter(torch.empty(shape)) for shape in ((outputs, inputs), (outputs,)))
    bound = 1 / math.sqrt(inputs)
    nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
    nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return layer


def takes_onednn(x: Tensor, weight: Tensor) -> bool:
    """Whether this layer of these rows is worth another library; shapes alone decide, so one seed has one result."""
    if not _HAS_ONEDNN or x.device.type != "cpu" or x.dtype != torch.float32 or x.dim() != 2:
        return False
    return len(x) >= LEAST_ROWS and min(weight.shape) >= THINNEST


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x @ weight.T + bias` by oneDNN, without a gradient."""
    out: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return out


def gradients(upstream: Tensor, x: Tensor, weight: Tensor, *, to_x: bool) -> tuple[Tensor | None, Tensor, Tensor]:
    """Of a layer's rows (if they are asked for), weight and bias, by oneDNN."""
    upstream = upstream.contiguous()
    return product(upstream, weight.t()) if to_x else None, product(upstream.t(), x.t()), upstream.sum(dim=0)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        return gradients(upstream, *ctx.saved_tensors, to_x=ctx.needs_input_grad[0])

"""What training several networks as one would bring: ``make measure WHAT=stacking``.

The layers of k networks can be one product of stacks of matrices. This says for each size whether a network's numbers
are the same bits whatever is stacked beside it, and how long the stack takes against one product after another; then
how long whole training steps take, in which small batches spend much on calling torch at all.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import torch
from torch import Tensor

SIZES = ((64, 56, 128), (64, 128, 128), (1024, 479, 128), (1024, 128, 128), (64, 128, 1), (1024, 128, 1))
MOST = 30  # networks
# Rows of a batch, and the sizes of the layers: small data and short networks, and an audit's own.
NETWORKS = (
    (64, (30, 16, 1)),
    (64, (56, 128, 128, 128, 1)),
    (256, (56, 128, 128, 128, 1)),
    (1024, (479, 128, 128, 128, 1)),
)
DEVICES = ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)


def same_bits(x: Tensor, weight: Tensor, bias: Tensor) -> bool:
    """Whether every slice of a stack is what the product of two, three, seven ... matrices gives."""
    whole = torch.baddbmm(bias, x, weight)
    return all(torch.equal(torch.baddbmm(bias[:k], x[:k], weight[:k]), whole[:k]) for k in (1, 2, 3, 7, 10))


def seconds(work: Callable[[], object], device: str) -> float:
    """The fastest of several runs."""
    taken = []
    for _ in range(10):
        began = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - began)
    return min(taken)


def step(x: Tensor, y: Tensor, layers: list[Tensor]) -> Tensor:
    """One step of a stack of networks, forwards, backwards and down the gradient; the loss."""
    for k, (weight, bias) in enumerate(zip(layers[::2], layers[1::2], strict=True)):
        x = torch.baddbmm(bias, x if k == 0 else x.relu(), weight)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x, y, reduction="sum")
    gradients = torch.autograd.grad(loss, layers)
    with torch.no_grad():
        torch._foreach_add_(layers, gradients, alpha=-1e-4)
    return loss


def steps(device: str, draw: torch.Generator) -> None:
    """Print one line for every network: a step of all at once, and of one after another."""
    for rows, sizes in NETWORKS:
        x = torch.randn(MOST, rows, sizes[0], generator=draw).to(device)
        y = torch.randint(0, 2, (MOST, rows, 1), generator=draw).float().to(device)
        layers = [
            (torch.randn(MOST, a, b, generator=draw) / inputs**0.5).to(device).requires_grad_()
            for inputs, outputs in itertools.pairwise(sizes)
            for a, b in ((inputs, outputs), (1, outputs))
        ]
        alone = [[part[k : k + 1].detach().clone().requires_grad_() for part in layers] for k in range(MOST)]
        stacked = seconds(lambda: step(x, y, layers), device)  # noqa: B023
        apart = seconds(lambda: [step(x[k : k + 1], y[k : k + 1], alone[k]) for k in range(MOST)], device)  # noqa: B023
        print(
            f"{device}: a step of {MOST} networks {'-'.join(map(str, sizes))}, batches of {rows:,}: "
            f"{1e3 * stacked:.1f} ms stacked, {1e3 * apart:.1f} ms one after another"
        )


def main() -> None:
    """Print one line for every size."""
    torch.set_num_threads(1)
    draw = torch.Generator().manual_seed(0)
    for device in DEVICES:
        for rows, inputs, outputs in SIZES:
            shapes = ((MOST, rows, inputs), (MOST, inputs, outputs), (MOST, 1, outputs))
            x, weight, bias = (torch.randn(shape, generator=draw).to(device) for shape in shapes)
            stacked = seconds(lambda: torch.baddbmm(bias, x, weight), device)  # noqa: B023
            apart = seconds(lambda: [torch.addmm(*one) for one in zip(bias, x, weight, strict=True)], device)  # noqa: B023
            print(
                f"{device}: {MOST} x {rows:,} rows, {inputs} to {outputs}: same bits {same_bits(x, weight, bias)}, "
                f"{1e3 * stacked:.2f} ms stacked, {1e3 * apart:.2f} ms one after another"
            )
        steps(device, draw)


if __name__ == "__main__":
    main()

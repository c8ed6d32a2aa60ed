"""What training several networks as one would bring: ``make measure WHAT=stacking``.

The layers of k networks can be one product of stacks of matrices. This says for each size whether a network's numbers
are the same bits whatever is stacked beside it, and how long the stack takes against one product after another.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from torch import Tensor

SIZES = ((64, 56, 128), (64, 128, 128), (1024, 479, 128), (1024, 128, 128), (64, 128, 1), (1024, 128, 1))
MOST = 30  # networks
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


if __name__ == "__main__":
    main()

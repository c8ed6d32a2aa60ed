"""Move images a little, each by itself and anew in every step: more views of the same objects to learn from."""

from __future__ import annotations

import torch
from torch import Tensor


def moved(x: Tensor, most: int, generator: torch.Generator) -> Tensor:
    """Images (n, channels, height, width) moved by up to so many pixels down and across, their edges repeated.

    >>> line = torch.arange(3.0).reshape(1, 1, 1, 3)
    >>> moved(line, 1, torch.Generator().manual_seed(0))
    tensor([[[[0., 0., 1.]]]])
    """
    count, _, height, width = x.shape
    down, across = (torch.randint(-most, most + 1, (count, 1), generator=generator) for _ in range(2))
    row = (torch.arange(height) + down).clamp(0, height - 1)
    column = (torch.arange(width) + across).clamp(0, width - 1)
    pixels = x.permute(0, 2, 3, 1)[torch.arange(count)[:, None, None], row[:, :, None], column[:, None, :]]
    return pixels.permute(0, 3, 1, 2)

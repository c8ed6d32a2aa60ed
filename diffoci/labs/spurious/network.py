"""The network: a feature extractor and a last layer, for images or for features that somebody computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from diffoci.inputs import Floats, Matrix
from diffoci.learning.linear import linear
from diffoci.learning.models import mlp

_CHANNELS = (3, 16, 32, 64, 64)
_KERNELS = (5, 3, 3, 3)


class Network(nn.Module):
    """Logits of a last layer on the features of an extractor; any torch module may be the extractor."""

    def __init__(self, extractor: nn.Module, width: int, classes: int, generator: torch.Generator) -> None:
        super().__init__()
        self.extractor = extractor
        self.last = linear(width, classes, generator)

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.last(self.extractor(x))
        return logits

    @torch.no_grad()
    def features(self, x: Tensor) -> Matrix:
        """Features of many rows, a part at a time."""
        return torch.cat([self.extractor(part) for part in x.split(512)]).numpy()

    def logits(self, features: Matrix) -> Floats:
        """What the last layer makes of features."""
        with torch.no_grad():
            return np.asarray(self.last(torch.from_numpy(features)).double().numpy())


def convolutions(generator: torch.Generator) -> nn.Sequential:
    """Four convolutions that each halve an image, as a flat vector; this part is pretrained."""
    layers: list[nn.Module] = []
    for k, kernel in enumerate(_KERNELS):
        layers.append(_convolution(_CHANNELS[k], _CHANNELS[k + 1], kernel, generator))
        if k + 1 < len(_KERNELS):
            layers.append(nn.GroupNorm(4, _CHANNELS[k + 1]))
        layers.append(nn.ReLU())
    return nn.Sequential(*layers, nn.Flatten())


def flat_size(side: int) -> int:
    """How many numbers `convolutions` make of an image with this side.

    >>> flat_size(48)
    576
    """
    across: int = math.ceil(side / 2 ** len(_KERNELS))
    return _CHANNELS[-1] * across * across


def image_network(pretrained: dict[str, Tensor], side: int, width: int, classes: int, *, seed: int) -> Network:
    """Pretrained convolutions, a linear map to `width` features, and a last layer."""
    generator = torch.Generator().manual_seed(seed)
    body = convolutions(generator)
    body.load_state_dict(pretrained)
    extractor = nn.Sequential(body, linear(flat_size(side), width, generator))
    return Network(extractor, width, classes, generator)


def feature_network(columns: int, width: int, classes: int, *, hidden: int, seed: int) -> Network:
    """A network on features; `hidden` 0 leaves the features as they are and trains the last layer only."""
    generator = torch.Generator().manual_seed(seed)
    if hidden == 0:
        return Network(nn.Identity(), columns, classes, generator)
    return Network(mlp([columns, hidden, width], generator), width, classes, generator)


def as_inputs(x: Any) -> Tensor:
    """Rows as the network wants them: images by channel, with zero in the middle of their range."""
    rows = torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32))
    # Colours stay together in memory, as they come; convolutions are a little faster so.
    return rows if rows.ndim == 2 else rows.permute(0, 3, 1, 2) - 0.5


def _convolution(inputs: int, outputs: int, kernel: int, generator: torch.Generator) -> nn.Conv2d:
    """A convolution with torch's usual start, drawn from our own generator: one seed, one result."""
    make: Any = nn.utils.skip_init
    layer: nn.Conv2d = make(nn.Conv2d, inputs, outputs, kernel, stride=2, padding=kernel // 2)
    assert layer.bias is not None
    bound = 1 / math.sqrt(inputs * kernel**2)
    nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
    nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return layer

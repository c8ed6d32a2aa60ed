"""Saliency: where an image would have to change for the network's top score to change, and how much of it is object."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from diffoci.labs.spurious.data.backbone import Behind
from diffoci.labs.spurious.data.examples import Rows
from diffoci.labs.spurious.data.scenes import Images
from diffoci.labs.spurious.network import Network, as_inputs

_PART = 4  # images whose way through a backbone is kept at a time


def saliency_maps(network: Network, rows: Rows) -> Images:
    """Size of the gradient of the top score, the largest over channels, from 0 to 1 in every image."""
    return _maps(network, as_inputs(rows.x))


def maps_through(network: Network, behind: Behind, images: Images) -> Images:
    """The same of features that a frozen backbone made: the gradient goes on to the pixels of its images."""
    x = torch.from_numpy(images).permute(0, 3, 1, 2)
    return np.concatenate([_maps(lambda part: network(behind.features(part)), part) for part in x.split(_PART)])


def _maps(scores: Callable[[Tensor], Tensor], x: Tensor) -> Images:
    x = x.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(scores(x).max(dim=1).values.sum(), x)
    size = gradient.abs().amax(dim=1).numpy()
    low, high = size.min(axis=(1, 2), keepdims=True), size.max(axis=(1, 2), keepdims=True)
    return np.asarray((size - low) / np.maximum(high - low, 1e-12), dtype=np.float32)


def share_on_object(maps: Images, mask: Images) -> float:
    """The mean over images of the share of saliency that lies on the object."""
    total = np.maximum(maps.sum(axis=(1, 2)), 1e-12)
    return float(((maps * mask).sum(axis=(1, 2)) / total).mean())

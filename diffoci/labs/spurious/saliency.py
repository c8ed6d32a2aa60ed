"""Saliency: where an image would have to change for the network's top score to change, and how much of it is object."""

from __future__ import annotations

import numpy as np
import torch

from diffoci.labs.spurious.data.examples import Rows
from diffoci.labs.spurious.data.scenes import Images
from diffoci.labs.spurious.network import Network, as_inputs


def saliency_maps(network: Network, rows: Rows) -> Images:
    """Size of the gradient of the top score, the largest over channels, from 0 to 1 in every image."""
    x = as_inputs(rows.x).requires_grad_()
    top = network(x).max(dim=1).values.sum()
    (gradient,) = torch.autograd.grad(top, x)
    size = gradient.abs().amax(dim=1).numpy()
    low, high = size.min(axis=(1, 2), keepdims=True), size.max(axis=(1, 2), keepdims=True)
    return np.asarray((size - low) / np.maximum(high - low, 1e-12), dtype=np.float32)


def share_on_object(maps: Images, mask: Images) -> float:
    """The mean over images of the share of saliency that lies on the object."""
    total = np.maximum(maps.sum(axis=(1, 2)), 1e-12)
    return float(((maps * mask).sum(axis=(1, 2)) / total).mean())

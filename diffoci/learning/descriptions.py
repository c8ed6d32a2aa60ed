"""Describe a trained module in plain values, and build it again from those and its weights; no code is stored."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from diffoci.learning.models import Eraser, Network, Unchanged, Vec


class KeptColumns(nn.Module):
    """The columns a vec model keeps, times their weights; one column of zeros where it keeps none."""

    columns: Tensor
    scale: Tensor

    def __init__(self, theta: Tensor, feature_of_column: Tensor, cutoff: float) -> None:
        super().__init__()
        weight = theta[feature_of_column]
        kept = torch.nonzero(weight.abs() > cutoff).squeeze(1)
        self.register_buffer("columns", kept if len(kept) else torch.zeros(1, dtype=torch.int64))
        self.register_buffer("scale", weight[kept] if len(kept) else torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return x[:, self.columns] * self.scale


def describe(module: Network | Vec | Eraser | Unchanged, *, cutoff: float) -> dict[str, Any]:
    """What, besides weights, `rebuild` needs; `cutoff` is the weight at which a vec model drops a feature.

    >>> describe(Network(4, (8,), 2, torch.Generator()), cutoff=0.1)
    {'kind': 'network', 'sizes': [4, 8, 2], 'weighted': False}
    """
    if isinstance(module, Network):
        layers = [layer for layer in module.layers if isinstance(layer, nn.Linear)]
        sizes = [layers[0].in_features, *(layer.out_features for layer in layers)]
        return {"kind": "network", "sizes": sizes, "weighted": module.theta is not None}
    if isinstance(module, Vec):
        return {"kind": "vec", "cutoff": cutoff}
    return {"kind": "eraser" if isinstance(module, Eraser) else "unchanged"}


def rebuild(described: Mapping[str, Any], weights: Mapping[str, NDArray[Any]], *, inputs: int) -> nn.Module:
    """The module for rows of `inputs` columns, ready to transform, or a sentence where the pieces do not fit."""
    tensors = {name: torch.from_numpy(value.copy()) for name, value in weights.items()}
    try:
        module = _assembled(described, tensors)
        with torch.no_grad():
            module.eval()(torch.zeros(1, inputs))
    except (KeyError, TypeError, IndexError, RuntimeError) as problem:
        raise ValueError(
            "The weights do not fit the description of the model; export the representation again."
        ) from problem
    return module


def _assembled(described: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> nn.Module:
    kind = described.get("kind")
    if kind == "network":
        sizes = [int(size) for size in described["sizes"]]
        # Sizes are only a claim until the weights have them: nothing is allocated before.
        for k, (before, after) in enumerate(itertools.pairwise(sizes)):
            if tuple(tensors[f"layers.{2 * k}.weight"].shape) != (after, before):
                raise IndexError
        start = torch.Generator().manual_seed(0)
        network = Network(sizes[0], sizes[1:-1], sizes[-1], start, weighted=bool(described["weighted"]))
        network.load_state_dict(dict(tensors))
        return network
    if kind == "vec":
        return KeptColumns(tensors["theta"], tensors["feature_of_column"].long(), float(described["cutoff"]))
    if kind == "eraser":
        return Eraser(tensors["left"], tensors["right"], tensors["centre"])
    if kind == "unchanged":
        return Unchanged()
    raise ValueError(f"A representation of kind {kind!r} is not known; it was written by another version.")

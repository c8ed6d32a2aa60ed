"""Pretrain the convolutions on the neutral task, once, and keep them on this machine."""

from __future__ import annotations

import hashlib
import inspect
import json
from functools import cache

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from diffoci.data.fetching.files import cache_folder
from diffoci.labs.spurious import network
from diffoci.labs.spurious.data import birds, neutral, photographs, scenes
from diffoci.labs.spurious.data.neutral import CLASSES, SCENES, neutral_images
from diffoci.labs.spurious.network import as_inputs, convolutions, flat_size
from diffoci.runs.files import write_atomically
from diffoci.runs.study import Watch

_BATCH, _LR = 64, 2e-3


def pretrained(side: int, *, images: int, epochs: int, watch: Watch | None = None) -> dict[str, Tensor]:
    """Weights of the convolutions after the neutral task; made where this machine does not have them yet.

    The same weights serve every seed and every method, as those of ImageNet do.
    """
    described = json.dumps([_made_by(), side, images, epochs])
    name = hashlib.sha256(described.encode()).hexdigest()[:16]
    path = cache_folder() / "spurious-lab" / f"{name}.safetensors"
    if path.exists():
        return load(path.read_bytes())
    weights = _train(side, images, epochs, watch or Watch())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, save(weights))
    return weights


@cache
def _made_by() -> list[str]:
    """The code that draws the images and trains, and what it computes with: a file that others made is not taken."""
    code = [inspect.getsource(module) for module in (birds, network, neutral, photographs, scenes)]
    digest = hashlib.sha256("".join([*code, inspect.getsource(_train)]).encode()).hexdigest()
    return [digest, torch.__version__, np.__version__, torch.backends.cpu.get_cpu_capability()]


def _train(side: int, images: int, epochs: int, watch: Watch) -> dict[str, Tensor]:
    x, shape, scene = neutral_images(np.random.default_rng(0), images, side)
    inputs, targets = as_inputs(x), (torch.from_numpy(shape), torch.from_numpy(scene))
    generator = torch.Generator().manual_seed(0)
    body = convolutions(generator)
    head = nn.Linear(flat_size(side), CLASSES + SCENES)
    nn.init.normal_(head.weight, 0, 0.02, generator=generator)
    nn.init.zeros_(head.bias)
    parameters = [*body.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=_LR, weight_decay=1e-5, fused=True)
    for epoch in range(epochs):
        for k, rows in enumerate(torch.randperm(images, generator=generator).split(_BATCH)):
            told = head(body(inputs[rows])).split([CLASSES, SCENES], dim=1)
            on_shape, on_scene = (
                nn.functional.cross_entropy(one, target[rows]) for one, target in zip(told, targets, strict=True)
            )
            loss = on_shape + on_scene
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if k % 20 == 0:
                watch.tell(fraction=0.0)
        watch.tell(fraction=0.0, message=f"pretraining, {epoch + 1} of {epochs}")
    return {name: value.detach().clone() for name, value in body.state_dict().items()}

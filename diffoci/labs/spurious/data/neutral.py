"""The neutral task: shapes of every kind on scenes that have nothing to do with them, for pretraining an extractor.

It stands for ImageNet: the extractor learns what shapes and scenes look like before it sees a shortcut. The shapes are
birds of any anatomy and figures of a few strokes. What has to be told is the shape (which figure, or how the bird is
built) and the scene it stands on. Without the scene a network hardly takes the shortcut: it was taught to look past it.
"""

from __future__ import annotations

import numpy as np

from diffoci.inputs import Ints
from diffoci.labs.spurious.data.birds import Drawn, draw, lay_on, posed, stroke
from diffoci.labs.spurious.data.photographs import patches
from diffoci.labs.spurious.data.scenes import GRAINS, Images, Rng, neutral

FIGURES = 24
BUILDS = 8  # short or long neck, bill and tail
CLASSES = FIGURES + BUILDS
SCENES = len(GRAINS) + 2  # painted ones, and the two photographs
_SHARES = (0.15, 0.15, 0.15, 0.15, 0.2, 0.2)  # how often each is drawn


def neutral_images(rng: Rng, count: int, size: int) -> tuple[Images, Ints, Ints]:
    """Images, what is on each, and what it stands on."""
    code, scene = rng.integers(0, CLASSES, count), rng.choice(SCENES, count, p=_SHARES)
    images = np.empty((count, size, size, 3), dtype=np.float32)
    painted = scene < len(GRAINS)
    images[painted] = neutral(rng, scene[painted], size)
    images[~painted] = patches(rng, scene[~painted] - len(GRAINS), size, split="train")
    for rows, drawn in (_birds(rng, code, size), _figures(rng, code, size)):
        images[rows] = lay_on(drawn, images[rows])
    return images, code, scene


def _birds(rng: Rng, code: Ints, size: int) -> tuple[Ints, Drawn]:
    rows = np.flatnonzero(code >= FIGURES)
    long = [((code[rows] - FIGURES) >> bit) & 1 for bit in range(3)]
    neck, bill, tail = (
        low + reach * (0.5 * flag + 0.4 * rng.random(len(rows)))
        for flag, low, reach in zip(long, (0.1, 0.1, 0.15), (0.42, 0.26, 0.36), strict=True)
    )
    return rows, draw(rng, neck=neck, bill=bill, tail=tail, size=size)


def _figures(rng: Rng, code: Ints, size: int) -> tuple[Ints, Drawn]:
    """Figures of four strokes between fixed points, a little moved in every image."""
    rows = np.flatnonzero(code < FIGURES)
    corners = np.random.default_rng(12).uniform(-0.6, 0.6, (FIGURES, 5, 2))[code[rows]]
    corners = corners + rng.normal(0, 0.05, corners.shape)
    x, y = posed(rng, len(rows), size)
    cover = np.maximum.reduce(
        [
            stroke(x, y, corners[:, k, 0], corners[:, k, 1], corners[:, k + 1, 0], corners[:, k + 1, 1], 0.09)
            for k in range(4)
        ]
    )
    light = rng.choice((0.05, 0.95), (len(rows), 1)) + rng.uniform(-0.05, 0.05, (len(rows), 3))
    colours = np.broadcast_to(np.clip(light, 0, 1)[:, None, None, :], (*cover.shape, 3))
    return rows, Drawn(np.asarray(colours, dtype=np.float32), cover)

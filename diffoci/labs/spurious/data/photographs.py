"""Digits on photographs: scikit-learn's handwritten digits on patches of its two photographs, all of them real."""

from __future__ import annotations

from functools import cache

import numpy as np

from diffoci.inputs import Ints
from diffoci.labs.spurious.data.birds import Drawn, tall
from diffoci.labs.spurious.data.scenes import Images, Rng, grid

FLOWER, TEMPLE = 0, 1
_FILES = ("flower.jpg", "china.jpg")
# Patches of a split are cut from its own tiles (row, column) of each photograph, so that no pixel is in two splits.
# Photographs are dimmed behind the digits, so that white ink can be read on any patch.
DIMMED = 0.5
_DOWN, _ACROSS = 2, 5
TILES = {
    "train": ((0, 0), (0, 2), (0, 4), (1, 1), (1, 3)),
    "validation": ((0, 3), (1, 2)),
    "test": ((0, 1), (1, 0), (1, 4)),
}


@cache
def photographs() -> tuple[Images, ...]:
    """Return the two photographs, values from 0 to 1."""
    from sklearn.datasets import load_sample_image

    return tuple(np.asarray(load_sample_image(name) / 255, dtype=np.float32) for name in _FILES)


@cache
def digits() -> tuple[Images, Ints]:
    """Return 1,797 handwritten digits of 8 by 8 pixels, values from 0 to 1, and which digit each is."""
    from sklearn.datasets import load_digits

    found = load_digits()
    return np.asarray(found.images / 16, dtype=np.float32), np.asarray(found.target, dtype=np.int64)


def patches(rng: Rng, which: Ints, size: int, *, split: str) -> Images:
    """Cut one square per entry of `which` from that photograph, inside the tiles of a split; some are mirrored."""
    found = np.empty((len(which), size, size, 3), dtype=np.float32)
    for k, photograph in enumerate(which):
        picture = photographs()[photograph]
        height, width = picture.shape[0] // _DOWN, picture.shape[1] // _ACROSS
        down, across = TILES[split][int(rng.integers(len(TILES[split])))]
        side = int(rng.integers(size, 2 * size))
        top = down * height + int(rng.integers(0, height - side + 1))
        left = across * width + int(rng.integers(0, width - side + 1))
        places = (np.arange(size) * side) // size
        patch = picture[top + places][:, left + places]
        found[k] = DIMMED * (patch[:, ::-1] if rng.random() < 0.5 else patch)
    return found


def draw_digits(rng: Rng, chosen: Ints, size: int) -> Drawn:
    """The chosen digits in light ink, varied in size and place."""
    count = len(chosen)
    x, y = grid(size)
    scale = tall(rng.uniform(0.85, 0.95, count))
    right, down = (tall(rng.uniform(-0.05, 0.05, count)) for _ in range(2))
    cover = _sampled(digits()[0][chosen], (x[None] - right) / scale, (y[None] - down) / scale)
    light = rng.uniform(0.8, 1.0, (count, 3))
    colours = np.broadcast_to(np.clip(light, 0, 1)[:, None, None, :], (count, size, size, 3))
    return Drawn(np.asarray(colours, dtype=np.float32), cover)


def _sampled(pictures: Images, x: Images, y: Images) -> Images:
    """Values of small pictures at places from -1 to 1, linear between pixels, nothing outside."""
    side = pictures.shape[1]
    padded = np.pad(pictures, ((0, 0), (1, 2), (1, 2)))
    across, down = ((np.clip(place, -1.3, 1.3) + 1) / 2 * side + 0.5 for place in (x, y))
    across, down = np.clip(across, 0, side + 1), np.clip(down, 0, side + 1)
    left, top = across.astype(int), down.astype(int)
    dx, dy = across - left, down - top
    which = np.arange(len(pictures))[:, None, None]
    upper = padded[which, top, left] * (1 - dx) + padded[which, top, left + 1] * dx
    lower = padded[which, top + 1, left] * (1 - dx) + padded[which, top + 1, left + 1] * dx
    return np.asarray(upper * (1 - dy) + lower * dy, dtype=np.float32)

"""Backgrounds that our own code paints: water, land, and neutral ones of any colour and grain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffoci.inputs import Ints

Images = NDArray[np.float32]
Rng = np.random.Generator
GRAINS = ((3, 14), (14, 3), (8, 8), (4, 4))  # of neutral backgrounds: waves across and down


def grid(size: int) -> tuple[Images, Images]:
    """Coordinates of pixel centres, x to the right and y downwards, from -1 to 1."""
    line = ((np.arange(size) + 0.5) / size * 2 - 1).astype(np.float32)
    y, x = np.meshgrid(line, line, indexing="ij")
    return x, y


def grain(rng: Rng, count: int, size: int, *, columns: int, rows: int) -> Images:
    """Smooth random fields, one per image, with so many waves across and down; about standard normal."""
    coarse = rng.standard_normal((count, rows + 1, columns + 1), dtype=np.float32)
    down, across = _interpolation(rows + 1, size), _interpolation(columns + 1, size)
    return np.asarray(down @ coarse @ across.T, dtype=np.float32)


def water(rng: Rng, count: int, size: int) -> Images:
    """Blue to grey-green, long flat waves."""
    hue = _colours(rng, count, low=(0.20, 0.36, 0.50), high=(0.42, 0.56, 0.80))
    waves = grain(rng, count, size, columns=3, rows=14)
    return _painted(hue, np.float32(0.08) * waves, rng)


def land(rng: Rng, count: int, size: int) -> Images:
    """Green to brown, upright stalks."""
    hue = _colours(rng, count, low=(0.36, 0.38, 0.20), high=(0.60, 0.60, 0.40))
    stalks = grain(rng, count, size, columns=14, rows=3)
    return _painted(hue, np.float32(0.08) * stalks, rng)


def neutral(rng: Rng, kind: Ints, size: int) -> Images:
    """Any colour, grain of the given kind: where a network learns shapes before it sees water or land."""
    count = len(kind)
    hue = _colours(rng, count, low=(0.1, 0.1, 0.1), high=(0.8, 0.8, 0.8))
    kinds = np.stack([grain(rng, count, size, columns=c, rows=r) for c, r in GRAINS])
    chosen = kinds[kind, np.arange(count)]
    return _painted(hue, np.float32(0.10) * chosen, rng)


def _painted(hue: Images, relief: Images, rng: Rng) -> Images:
    noise = np.float32(0.02) * rng.standard_normal((*relief.shape, 3), dtype=np.float32)
    painted = noise + hue[:, None, None, :] + relief[..., None]
    return np.asarray(np.clip(painted, 0, 1), dtype=np.float32)


def _colours(rng: Rng, count: int, *, low: Any, high: Any) -> Images:
    return np.asarray(rng.uniform(low, high, size=(count, 3)), dtype=np.float32)


def _interpolation(knots: int, size: int) -> Images:
    """Weights that spread values at evenly placed knots over the pixels, by cosines."""
    place = np.linspace(0, knots - 1, size)
    left = np.minimum(place.astype(int), knots - 2)
    share = (1 - np.cos(np.pi * (place - left))) / 2
    weights = np.zeros((size, knots), dtype=np.float32)
    weights[np.arange(size), left] = 1 - share
    weights[np.arange(size), left + 1] = share
    return weights

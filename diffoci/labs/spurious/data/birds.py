"""Mini-birds: bird-like shapes of two kinds, drawn with varied pose, size and colour.

A waterbird has a long neck, a long flat bill and a short tail; a landbird a short neck, a small pointed beak and a long
tail. Colours, sizes, poses and legs are drawn alike for both, so only the shape tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diffoci.inputs import Floats, Ints
from diffoci.labs.spurious.data.scenes import Images, Rng, grid

LANDBIRD, WATERBIRD = 0, 1


@dataclass(frozen=True, eq=False)
class Drawn:
    """Shapes ready to lie on backgrounds: their colours, and how far each pixel is covered (0 to 1)."""

    colours: Images
    cover: Images


def draw_birds(rng: Rng, kind: Ints, size: int) -> Drawn:
    """One bird of the given kind per image."""
    wet = (kind == WATERBIRD).astype(np.float64)
    between = rng.normal(0, 0.07, len(kind))  # birds of one kind differ, too
    neck = 0.10 + 0.44 * (wet + between).clip(-0.2, 1.2)
    bill = 0.10 + 0.24 * (wet + rng.normal(0, 0.08, len(kind))).clip(-0.2, 1.2)
    tail = 0.50 - 0.36 * (wet + rng.normal(0, 0.08, len(kind))).clip(-0.2, 1.2)
    return draw(rng, neck=neck, bill=bill, tail=tail, size=size)


def draw(rng: Rng, *, neck: Floats, bill: Floats, tail: Floats, size: int) -> Drawn:
    """Birds with these lengths; pose, size and colours are drawn at random."""
    count = len(neck)
    x, y = posed(rng, count, size)
    lean = rng.uniform(0.5, 1.2, count)  # how steeply the neck rises
    head_x, head_y = 0.36 + neck * np.cos(lean), -0.14 - neck * np.sin(lean)
    body = _ellipse(x, y, 0.0, 0.0, 0.42, 0.24)
    wing = _ellipse(x, y, -0.06, -0.03, 0.26, 0.13)
    head = _ellipse(x, y, head_x, head_y, 0.13, 0.12)
    throat = stroke(x, y, 0.30, -0.10, head_x, head_y, 0.09)
    beak = stroke(x, y, head_x + 0.08, head_y + 0.01, head_x + 0.08 + bill, head_y + 0.04, 0.05)
    rear = stroke(x, y, -0.34, -0.02, -0.34 - tail, -0.06 - 0.1 * rng.uniform(-1, 1, count), 0.08)
    legs = np.maximum(stroke(x, y, 0.02, 0.2, 0.0, 0.48, 0.02), stroke(x, y, 0.14, 0.2, 0.14, 0.48, 0.02))
    parts = (
        (legs, rng.uniform(0.1, 0.9, (count, 3))),
        (np.maximum.reduce([body, throat, head, rear]), _feathers(rng, count)),
        (wing, _feathers(rng, count)),
        (beak, rng.uniform((0.5, 0.2, 0.0), (1.0, 0.8, 0.4), (count, 3))),
    )
    colours, cover = np.zeros((count, size, size, 3), dtype=np.float32), np.zeros((count, size, size), dtype=np.float32)
    for part, colour in parts:
        over = part[..., None]
        colours = colours * (1 - over) + over * colour[:, None, None, :].astype(np.float32)
        cover = cover + part * (1 - cover)
    return Drawn(np.asarray(colours / np.maximum(cover, 1e-6)[..., None], dtype=np.float32), cover)


def lay_on(drawn: Drawn, background: Images) -> Images:
    """The shapes in front of their backgrounds."""
    over = drawn.cover[..., None]
    return np.clip(drawn.colours * over + background * (1 - over), 0, 1).astype(np.float32)


def posed(rng: Rng, count: int, size: int) -> tuple[Images, Images]:
    """Pixel coordinates as each shape sees them: mirrored, turned, scaled and moved."""
    x, y = grid(size)
    turn = tall(rng.uniform(-0.25, 0.25, count))
    scale = tall(rng.uniform(0.78, 1.05, count))
    flip = tall(rng.choice((-1.0, 1.0), count))
    right, down = (tall(rng.uniform(-0.12, 0.12, count)) for _ in range(2))
    moved_x, moved_y = (x[None] - right) / scale, (y[None] - down - 0.1) / scale
    own_x = flip * (moved_x * np.cos(turn) + moved_y * np.sin(turn))
    own_y = moved_y * np.cos(turn) - moved_x * np.sin(turn)
    return own_x, own_y


def _feathers(rng: Rng, count: int) -> Floats:
    """Grey to brown, from dark to light."""
    light = rng.choice((0.12, 0.88), (count, 1)) + rng.uniform(-0.1, 0.1, (count, 1))
    return np.clip(light + rng.uniform(-0.08, 0.08, (count, 3)), 0, 1)


def _ellipse(x: Images, y: Images, cx: Floats | float, cy: Floats | float, rx: float, ry: float) -> Images:
    distance = np.sqrt(((x - tall(cx)) / rx) ** 2 + ((y - tall(cy)) / ry) ** 2) - 1
    return inside(np.asarray(distance * min(rx, ry), dtype=np.float32))


def stroke(
    x: Images,
    y: Images,
    x0: Floats | float,
    y0: Floats | float,
    x1: Floats | float,
    y1: Floats | float,
    radius: float,
) -> Images:
    """A thick line from one point to another."""
    ax, ay, bx, by = map(tall, (x0, y0, x1, y1))
    dx, dy = bx - ax, by - ay
    along = np.clip(((x - ax) * dx + (y - ay) * dy) / np.maximum(dx**2 + dy**2, 1e-6), 0, 1)
    return inside(np.hypot(x - ax - along * dx, y - ay - along * dy) - radius)


def tall(value: Floats | float) -> Images:
    return np.asarray(value, dtype=np.float32).reshape(-1, 1, 1)


def inside(distance: Images) -> Images:
    """How far a pixel is covered, with soft edges about a pixel wide."""
    return np.asarray(np.clip(0.5 - distance / 0.05, 0, 1), dtype=np.float32)

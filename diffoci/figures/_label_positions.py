"""Put names beside marks so that they overlap each other and the marks as little as a simple search can."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diffoci.inputs import Floats

# More names than this cannot be told apart in any picture; the others stand above their marks.
MOST_PLACED = 200
# Position in Plotly's words, and where the text's centre then lies: in text widths and heights from the mark.
_POSITIONS = {
    "top center": (0.0, 1.0),
    "bottom center": (0.0, -1.0),
    "middle right": (0.62, 0.0),
    "middle left": (-0.62, 0.0),
    "top right": (0.55, 0.8),
    "top left": (-0.55, 0.8),
    "bottom right": (0.55, -0.8),
    "bottom left": (-0.55, -0.8),
}


def label_positions(
    x: Sequence[float],
    y: Sequence[float],
    texts: Sequence[str],
    *,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    width: float = 900,
    height: float = 360,
) -> list[str]:
    """Plotly text positions, chosen one after another by how much each would cover.

    >>> label_positions([0.5, 0.5], [0.5, 0.51], ["a", "b"], x_range=(0, 1), y_range=(0, 1))
    ['bottom center', 'top center']
    """
    across = [(value - x_range[0]) / (x_range[1] - x_range[0]) * width for value in x]
    up = [(value - y_range[0]) / (y_range[1] - y_range[0]) * height for value in y]
    boxes = np.empty((len(across) + min(len(across), MOST_PLACED), 4))
    boxes[: len(across)] = [(px - 9, py - 9, px + 9, py + 9) for px, py in zip(across, up, strict=True)] or 0.0
    chosen: list[str] = []
    for px, py, text in zip(across[:MOST_PLACED], up, texts, strict=False):
        covered = boxes[: len(across) + len(chosen)]
        long, tall = 8.0 * len(text) + 10, 18.0
        best, cost_of_best, box_of_best = "", float("inf"), (0.0, 0.0, 0.0, 0.0)
        for position, (right, above) in _POSITIONS.items():
            cx, cy = px + right * long + (9 if right > 0 else -9 if right < 0 else 0), py + above * tall
            box = (cx - long / 2, cy - tall / 2, cx + long / 2, cy + tall / 2)
            outside = max(0.0, -box[0]) + max(0.0, box[2] - width) + max(0.0, -box[1]) + max(0.0, box[3] - height)
            cost = _overlap(box, covered) + 40 * outside
            if cost < cost_of_best:
                best, cost_of_best, box_of_best = position, cost, box
        boxes[len(across) + len(chosen)] = box_of_best
        chosen.append(best)
    return chosen + ["top center"] * (len(across) - len(chosen))


def _overlap(box: tuple[float, float, float, float], others: Floats) -> float:
    wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    both = (wide > 0) & (high > 0)
    return float(sum((wide[both] * high[both]).tolist()))  # one by one: places stay as they were, to the last digit

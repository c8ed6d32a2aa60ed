"""Put names beside marks so that they overlap each other and the marks as little as a simple search can."""

from __future__ import annotations

from collections.abc import Sequence

# Position in Plotly's words, and where the text's centre then lies: in text widths and heights from the mark.
_PLACES = {
    "top center": (0.0, 1.0),
    "bottom center": (0.0, -1.0),
    "middle right": (0.62, 0.0),
    "middle left": (-0.62, 0.0),
    "top right": (0.55, 0.8),
    "top left": (-0.55, 0.8),
    "bottom right": (0.55, -0.8),
    "bottom left": (-0.55, -0.8),
}


def label_places(
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

    >>> label_places([0.5, 0.5], [0.5, 0.51], ["a", "b"], x_range=(0, 1), y_range=(0, 1))
    ['bottom center', 'top center']
    """
    across = [(value - x_range[0]) / (x_range[1] - x_range[0]) * width for value in x]
    up = [(value - y_range[0]) / (y_range[1] - y_range[0]) * height for value in y]
    boxes = [(px - 9, up[k] - 9, px + 9, up[k] + 9) for k, px in enumerate(across)]
    chosen = []
    for px, py, text in zip(across, up, texts, strict=True):
        long, tall = 8.0 * len(text) + 10, 18.0
        best, cost_of_best, box_of_best = "", float("inf"), (0.0, 0.0, 0.0, 0.0)
        for place, (right, above) in _PLACES.items():
            cx, cy = px + right * long + (9 if right > 0 else -9 if right < 0 else 0), py + above * tall
            box = (cx - long / 2, cy - tall / 2, cx + long / 2, cy + tall / 2)
            outside = max(0.0, -box[0]) + max(0.0, box[2] - width) + max(0.0, -box[1]) + max(0.0, box[3] - height)
            cost = sum(_overlap(box, other) for other in boxes) + 40 * outside
            if cost < cost_of_best:
                best, cost_of_best, box_of_best = place, cost, box
        chosen.append(best)
        boxes.append(box_of_best)
    return chosen


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))

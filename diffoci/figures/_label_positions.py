"""Put names beside marks so that they cover each other and the marks as little as a simple search can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# More names than this cannot be told apart in any picture; the others stand above their marks.
MOST_PLACED = 200
# Position in Plotly's words, and on which side of the mark the text then stands: across and up.
_POSITIONS = {
    "top center": (0, 1),
    "bottom center": (0, -1),
    "middle right": (1, 0),
    "middle left": (-1, 0),
    "top right": (1, 1),
    "top left": (-1, 1),
    "bottom right": (1, -1),
    "bottom left": (-1, -1),
}
# Pixels: of a letter and of a line of text, from a mark's centre to a text beside it, and around a mark.
_LETTER, _LINE, _APART, _MARK = 7.0, 17.0, 10.0, 9.0
_TIMES_AROUND = 4  # names placed early do not know of later ones: while they are few, all are placed again
_LARGER = 2.5  # times the smallest picture: names that keep apart in both do so between them
_OUTSIDE = 40.0  # a pixel beyond the picture costs as much as so many that are covered
_MOST_COVERED = 12.0  # square pixels a letter, a tenth of its own, that a name may cover
Box = tuple[float, float, float, float]


class Placed(NamedTuple):
    """A name as it is drawn, empty where there is no room for it, and on which side of its mark."""

    text: str
    position: str


def place_names(
    x: Sequence[float],
    y: Sequence[float],
    texts: Sequence[str],
    *,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    width: float = 560,
    height: float = 320,
    avoid: Sequence[tuple[float, float, float, float]] = (),
) -> list[Placed]:
    """Names in Plotly's text positions, chosen one after another by how much each would cover.

    One that would lie on others wherever it stood is left out: the legend has it, and pointing at the mark shows it.

    `width` and `height` are those of the smallest picture that shows names: in a larger one marks are farther apart.
    `avoid` are lines that names should not lie on, as (x, y, x, y).

    >>> [one.position for one in place_names([0.5, 0.5], [0.5, 0.51], ["a", "b"], x_range=(0, 1), y_range=(0, 1))]
    ['bottom center', 'top center']
    """
    placed = min(len(x), MOST_PLACED)
    pictures = [_Picture(x, y, x_range, y_range, avoid, wide, height, placed) for wide in (width, _LARGER * width)]
    chosen = ["top center"] * len(x)
    for _ in range(_TIMES_AROUND if len(x) <= MOST_PLACED else 1):
        before = list(chosen)
        for k in range(placed):
            for one in pictures:
                one.take_away(k)
            costs = {name: sum(one.cost(k, texts[k], name) for one in pictures) for name in _POSITIONS}
            chosen[k] = min(costs, key=costs.__getitem__)
            for one in pictures:
                one.put(k, texts[k], chosen[k])
        if chosen == before:
            break
    shown = list(texts)
    for k in range(placed):
        if any(one.covered(k) > _MOST_COVERED * len(texts[k]) for one in pictures):
            shown[k] = ""
            for one in pictures:
                one.take_away(k)
    return [Placed(text, position) for text, position in zip(shown, chosen, strict=True)]


class _Picture:
    """Marks, lines and names of a picture of one size, as boxes in pixels; names not placed yet cover nothing."""

    def __init__(
        self,
        x: Sequence[float],
        y: Sequence[float],
        x_range: tuple[float, float],
        y_range: tuple[float, float],
        avoid: Sequence[Box],
        width: float,
        height: float,
        names: int,
    ) -> None:
        def pixels(values: Sequence[float], limits: tuple[float, float], size: float) -> list[float]:
            return [(value - limits[0]) / (limits[1] - limits[0]) * size for value in values]

        self._size = (width, height)
        self._at = list(zip(pixels(x, x_range, width), pixels(y, y_range, height), strict=True))
        marks = [(px - _MARK, py - _MARK, px + _MARK, py + _MARK) for px, py in self._at]
        lines = []
        for line in avoid:
            across, up = sorted(pixels(line[::2], x_range, width)), sorted(pixels(line[1::2], y_range, height))
            lines.append((across[0] - 1, up[0] - 1, across[1] + 1, up[1] + 1))
        self._first = len(marks) + len(lines)
        empty = [(0.0, 0.0, 0.0, 0.0)] * names
        self._boxes = np.array([*marks, *lines, *empty], dtype=np.float64).reshape(-1, 4)

    def cost(self, k: int, text: str, position: str) -> float:
        """How much a name that is not put anywhere yet would cover, and how far it would stand out of the picture."""
        box = left, low, right, high = _text_box(*self._at[k], text, *_POSITIONS[position])
        outside = max(0.0, -left) + max(0.0, right - self._size[0]) + max(0.0, -low) + max(0.0, high - self._size[1])
        return self._covered(box) + _OUTSIDE * outside

    def put(self, k: int, text: str, position: str) -> None:
        self._boxes[self._first + k] = _text_box(*self._at[k], text, *_POSITIONS[position])

    def take_away(self, k: int) -> None:
        self._boxes[self._first + k] = 0.0

    def covered(self, k: int) -> float:
        """How many square pixels of others a name covers."""
        left, low, right, high = self._boxes[self._first + k].tolist()
        self.take_away(k)
        covered = self._covered((left, low, right, high))
        self._boxes[self._first + k] = left, low, right, high
        return covered

    def _covered(self, box: Box) -> float:
        wide = np.minimum(box[2], self._boxes[:, 2]) - np.maximum(box[0], self._boxes[:, 0])
        high = np.minimum(box[3], self._boxes[:, 3]) - np.maximum(box[1], self._boxes[:, 1])
        both = (wide > 0) & (high > 0)
        # One by one: places stay as they are, to the last digit, whatever sums numpy would form.
        return float(sum((wide[both] * high[both]).tolist()))


def _text_box(px: float, py: float, text: str, right: int, above: int) -> Box:
    long = _LETTER * len(text)
    cx, cy = px + right * (_APART + long / 2), py + above * (_APART + _LINE / 2)
    return cx - long / 2, cy - _LINE / 2, cx + long / 2, cy + _LINE / 2

"""Cut a representation into a few cells, with edges that only training rows decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diffoci.inputs import Floats, Ints, Matrix

_MOST_NODES = 10_000
_SMALLEST_LEAF = 5
_SMALLEST_SHARE = 100  # of the training rows: a leaf has at least one in so many


@dataclass(frozen=True, eq=False)
class Cut:
    """A binary tree over the columns of a representation; its leaves, from left to right, are the cells.

    A row goes left where its value in the node's column is at most the node's threshold. Leaves have the column -1.
    """

    column: Ints
    threshold: Floats
    left: Ints
    right: Ints

    @property
    def cells(self) -> int:
        """How many there are."""
        return int((self.column < 0).sum())

    def cell_of(self, z: Matrix) -> Ints:
        """The cell of every row.

        >>> halves = quantile_cut(np.array([[0.0], [1.0], [2.0], [3.0]]), 2)
        >>> halves.cell_of(np.array([[-5.0], [1.4], [1.6], [9.0]])).tolist()
        [0, 0, 1, 1]
        """
        rows, node = np.arange(len(z)), np.zeros(len(z), dtype=np.int64)
        values = np.asarray(z, dtype=np.float32)  # what a tree was grown on
        while (inside := self.column[node] >= 0).any():
            here = node[inside]
            low = values[rows[inside], self.column[here]] <= self.threshold[here]
            node[inside] = np.where(low, self.left[here], self.right[here])
        return self._numbers()[node]

    def _numbers(self) -> Ints:
        """Leaves numbered in the order in which they stand."""
        numbers, waiting, count = np.full(len(self.column), -1), [0], 0
        while waiting:
            node = waiting.pop()
            if self.column[node] < 0:
                numbers[node], count = count, count + 1
            else:
                waiting += [int(self.right[node]), int(self.left[node])]
        return numbers

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: getattr(self, name).tolist() for name in ("column", "threshold", "left", "right")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, columns: int) -> Cut:
        """Read plain values; a sentence where they are no tree over so many columns."""
        try:
            column, left, right = (np.array(values[name], dtype=np.int64) for name in ("column", "left", "right"))
            threshold = np.array(values["threshold"], dtype=np.float64)
            cut = cls(column, threshold, left, right)
            whole = cut._is_tree(columns)
        except (KeyError, TypeError, ValueError, OverflowError):
            whole = False
        if not whole:
            raise ValueError("The cells of this representation are damaged: they are no tree over its columns.")
        return cut

    def _is_tree(self, columns: int) -> bool:
        parts = (self.column, self.threshold, self.left, self.right)
        nodes = len(self.column)
        if any(part.ndim != 1 or len(part) != nodes for part in parts) or not 1 <= nodes <= _MOST_NODES:
            return False
        inner = np.flatnonzero(self.column >= 0)
        below = np.concatenate([self.left[inner], self.right[inner]])
        # Children come after their parent and are nobody else's, so every walk ends in a leaf.
        later = (self.left[inner] > inner).all() and (self.right[inner] > inner).all()
        once = len(np.unique(below)) == len(below) == nodes - 1 and (below < nodes).all()
        return bool(later and once and (self.column < columns).all() and np.isfinite(self.threshold).all())


def quantile_cut(z: Matrix, cells: int) -> Cut:
    """Cut one column into parts of about as many rows; fewer where many rows share a value.

    An edge lies halfway between two values that occur, so that rounding moves nobody across it.
    """
    values, count = np.unique(np.asarray(z, dtype=np.float32)[:, 0].astype(np.float64), return_counts=True)
    share = np.cumsum(count) / count.sum()
    if len(values) < 2:
        return _chain([])
    places = np.unique([np.abs(share[:-1] - k / cells).argmin() for k in range(1, cells)])
    return _chain([float((values[k] + values[k + 1]) / 2) for k in places])


def _chain(edges: Sequence[float]) -> Cut:
    """One node for every edge, from the lowest: below it is a leaf, above it the next node."""
    nodes = 2 * len(edges) + 1
    column, threshold = np.full(nodes, -1), np.zeros(nodes)
    left, right = np.full(nodes, -1), np.full(nodes, -1)
    for k, edge in enumerate(edges):
        column[2 * k], threshold[2 * k], left[2 * k], right[2 * k] = 0, edge, 2 * k + 1, 2 * k + 2
    return Cut(column, threshold, left, right)


def tree_cut(z: Matrix, label: Ints, cells: int, *, seed: int) -> Cut:
    """Cut several columns at the leaves of a small tree that predicts the outcome; the attribute plays no part."""
    from sklearn.tree import DecisionTreeClassifier

    least = max(_SMALLEST_LEAF, len(z) // _SMALLEST_SHARE)
    grown = DecisionTreeClassifier(max_leaf_nodes=cells, min_samples_leaf=least, random_state=seed).fit(z, label).tree_
    leaf = grown.children_left < 0
    return Cut(
        np.where(leaf, -1, grown.feature).astype(np.int64),
        np.where(leaf, 0.0, grown.threshold),
        grown.children_left.astype(np.int64),
        grown.children_right.astype(np.int64),
    )

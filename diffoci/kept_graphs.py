"""Neighbour graphs of points that are asked about again, found once."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from contextvars import ContextVar

from diffoci.inputs import Floats
from diffoci.neighbourhoods import neighbourhoods
from diffoci.neighbours import nearest_neighbours
from diffoci.response import Graph


def graph_of(points: Floats, count: int) -> Graph:
    """The graph of so many neighbours of every point: one that is kept, or found now."""
    kept = _KEPT.get()
    return _found_graph(points, count) if kept is None else kept.of(points, count)


def _found_graph(points: Floats, count: int) -> Graph:
    return nearest_neighbours(points) if count == 1 else neighbourhoods(points, count)


class KeptGraphs:
    """Neighbour graphs of points that are asked about again: a score is the same whatever attribute it is held beside.

    The oldest go where all of them together would take more than so many bytes.
    """

    def __init__(self, most_bytes: float = 1.3e8) -> None:
        self._most, self._bytes = most_bytes, 0.0
        self._graphs: dict[tuple[bytes, tuple[int, ...], int], tuple[Graph, float]] = {}

    def of(self, points: Floats, count: int) -> Graph:
        """The graph of these points, found once."""
        key = hashlib.sha256(points.tobytes()).digest(), points.shape, count
        if key not in self._graphs:
            graph, size = _found_graph(points, count), 16.0 * len(points) * (count + 4)
            self._graphs[key] = graph, size
            self._bytes += size
            while self._bytes > self._most and len(self._graphs) > 1:
                self._bytes -= self._graphs.pop(next(iter(self._graphs)))[1]
            return graph
        self._graphs[key] = self._graphs.pop(key)  # the newest now
        return self._graphs[key][0]


_KEPT: ContextVar[KeptGraphs | None] = ContextVar("kept graphs", default=None)


@contextlib.contextmanager
def with_kept_graphs(graphs: KeptGraphs) -> Iterator[None]:
    """Look for neighbour graphs among those kept, while coefficients of one table are computed one after the other."""
    before = _KEPT.set(graphs)
    try:
        yield
    finally:
        _KEPT.reset(before)

"""The levels a twin may take: no level describes fewer than `FEWEST` people.

Codes and words: a level held by fewer people becomes its nearest common neighbour in sorted order (ACS codes
are sorted by meaning, so an unusual occupation becomes a common one close to it).
Numbers: neighbouring values are joined until a bin holds enough people, and a joined bin is kept as the
interval that has the mean and spread of its people; its end points are nobody's values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Group = Callable[[Any], str]

FEWEST = 5
_MOST_BINS = 150


def code_levels(values: Sequence[Hashable], group: Group) -> tuple[list[Any], Codes]:
    """Return the common levels, sorted, and the code of each row among them."""
    counts = pd.Series(list(values), dtype=object).value_counts(sort=False, dropna=False)
    ordered = sorted(counts.index, key=_sort_key)
    common = [level for level in ordered if counts[level] >= FEWEST]
    replaced = {level: _nearest(level, ordered, common, group) for level in ordered}
    position = {level: code for code, level in enumerate(common)}
    return common, np.array([position[replaced[value]] for value in values], dtype=np.int64)


def number_levels(values: NDArray[np.float64], group: Group, step: float) -> tuple[list[float | list[float]], Codes]:
    """Return single values and intervals, ascending, and the code of each row among them."""
    distinct, counts = np.unique(values, return_counts=True)
    enough = max(FEWEST, len(values) // _MOST_BINS) if len(distinct) > _MOST_BINS else FEWEST
    bins = _join(distinct, counts, enough, group)
    upper = np.array([members[-1] for members in bins])
    codes = np.searchsorted(upper, values)
    levels: list[float | list[float]] = []
    for code, members in enumerate(bins):
        if len(members) == 1:
            levels.append(float(members[0]))
        else:
            levels.append(_interval(values[codes == code], step, non_negative=bool(distinct[0] >= 0)))
    return levels, codes.astype(np.int64)


def _join(distinct: NDArray[np.float64], counts: NDArray[np.int64], enough: int, group: Group) -> list[list[float]]:
    """Join neighbours greedily; a bin never crosses a border between groups (a label's threshold)."""
    bins: list[list[float]] = []
    sizes: list[int] = []
    for value, count in zip(distinct, counts, strict=True):
        if bins and sizes[-1] < enough and group(bins[-1][0]) == group(value):
            bins[-1].append(value)
            sizes[-1] += int(count)
        else:
            bins.append([value])
            sizes.append(int(count))
    for k in range(len(bins) - 1, 0, -1):
        if sizes[k] < enough and group(bins[k][0]) == group(bins[k - 1][0]):
            bins[k - 1] += bins.pop(k)
            sizes[k - 1] += sizes.pop(k)
    return bins


def _interval(members: NDArray[np.float64], step: float, *, non_negative: bool) -> list[float]:
    half = np.sqrt(3.0) * members.std()
    ends = np.round((members.mean() + np.array([-half, half])) / step) * step
    if non_negative:
        ends = np.maximum(ends, 0.0)
    return [round(float(end), 6) for end in ends]


def _sort_key(level: Any) -> tuple[Any, ...]:
    parts = level if isinstance(level, tuple) else (level,)
    return tuple((part is not None, isinstance(part, str), part if part is not None else 0) for part in parts)


def _nearest(level: Any, ordered: list[Any], common: list[Any], group: Group) -> Any:
    if level in common:
        return level
    place = {item: k for k, item in enumerate(ordered)}
    same = [item for item in common if group(item) == group(level)] or common
    return min(same, key=lambda item: abs(place[item] - place[level]))

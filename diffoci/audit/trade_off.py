"""Points of a trade-off curve that a method's own choice of a weight trains anyway: trained once, measured once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diffoci.runs.study import CellOutput

_POINTS = "points"  # in the summary of a method's cell
_OF_A_POINT = ("y", "leakage", "width")


def shared_weights(settings: Mapping[str, Any], entry: str) -> tuple[float, ...]:
    """Weights of the curve that the method is tried with as well (`entry` holds those); its own cell measures them.

    >>> shared_weights({"curve": (0.0, 0.3, 1.0), "penalties": [0.3, 1.0, 3.0]}, "penalties")
    (0.3, 1.0)
    """
    return tuple(weight for weight in settings["curve"] if weight in settings[entry])


def with_points(chosen: CellOutput, points: Mapping[float, CellOutput]) -> CellOutput:
    """A method's cell that also holds what other weights gave."""
    kept = {_name(weight): {part: one.summary[part] for part in _OF_A_POINT} for weight, one in points.items()}
    arrays = {f"{_name(weight)} {name}": array for weight, one in points.items() for name, array in one.arrays.items()}
    return replace(chosen, summary={**chosen.summary, _POINTS: kept}, arrays={**chosen.arrays, **arrays})


def point_in(cell: CellOutput, weight: float) -> CellOutput | None:
    """What a weight gave, as its own cell would have it; None where a method's cell holds nothing of it."""
    summary = cell.summary.get(_POINTS, {}).get(_name(weight))
    if summary is None:
        return None
    begin = f"{_name(weight)} "
    arrays = {name.removeprefix(begin): array for name, array in cell.arrays.items() if name.startswith(begin)}
    return CellOutput(summary, arrays)


def _name(weight: float) -> str:
    return f"{weight:g}"

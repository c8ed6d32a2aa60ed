"""Cells: the independent pieces of an audit, each a method trained and measured with one seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Cell:
    """One piece of work. `stage` is "methods", "curve" or "features"; `settings` what differs from the audit's."""

    id: str
    stage: str
    method: str
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0


@dataclass(frozen=True)
class CellOutput:
    """What a cell found: plain values for JSON, arrays for the figures and decisions, text-free weights."""

    summary: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    weights: dict[str, NDArray[Any]] = field(default_factory=dict)


class Cancelled(Exception):
    """Raised inside a cell when the audit was asked to stop."""


@dataclass(frozen=True)
class Watch:
    """How a cell speaks to the outside: `report` takes progress, `cancelled` tells whether to stop."""

    report: Callable[[dict[str, Any]], None] = field(default=lambda _: None)
    cancelled: Callable[[], bool] = field(default=lambda: False)

    def tell(self, **progress: Any) -> None:
        """Report progress ("fraction" of this cell, "epoch", "loss", …), or stop if asked to."""
        if self.cancelled():
            raise Cancelled
        self.report(progress)

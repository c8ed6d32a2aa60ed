"""What a cell's process hands back to the coordinator of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from diffoci.audit.cells import CellOutput


@dataclass(frozen=True)
class Outcome:
    """A cell's output, or why there is none. `trace` is for whoever mends the program."""

    cell: str
    output: CellOutput | None = None
    error: str = ""
    trace: str = ""
    cancelled: bool = False
    seconds: float = 0.0
    device: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

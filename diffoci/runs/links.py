"""How a cell, wherever it runs, speaks with its run: history out, "stop" in."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from diffoci.runs.cell_files import history_file
from diffoci.runs.files import append_lines

Records = Sequence[Mapping[str, Any]]


class Link(Protocol):
    """Pickled together with the cell."""

    def send(self, cell: str, records: Records) -> None:
        """Hand over lines of the cell's history."""

    def stopped(self) -> bool:
        """Say whether the cell should stop."""


@dataclass(frozen=True)
class FolderLink:
    """For processes that see the run directory: the history is a file there, the request to stop another."""

    folder: Path

    def send(self, cell: str, records: Records) -> None:
        with contextlib.suppress(OSError):  # a full disk must not cost the cell its numbers
            append_lines(history_file(self.folder / "cells", cell), records)

    def stopped(self) -> bool:
        return (self.folder / "cancel").exists()

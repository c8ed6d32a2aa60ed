"""How a cell, wherever it runs, speaks with its run: history out, "stop" in."""

from __future__ import annotations

import contextlib
import os
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

    def may_end_process(self) -> bool:
        """Say whether a cell that does not listen may be ended together with its process."""


@dataclass(frozen=True)
class FolderLink:
    """For processes that see the run directory: the history is a file there, the request to stop another.

    Parameters
    ----------
    folder : Path
        The run directory.
    parent : int, optional
        Process that must stay alive, where the cell runs in a child of it.
    """

    folder: Path
    parent: int | None = None

    def send(self, cell: str, records: Records) -> None:
        with contextlib.suppress(OSError):  # a full disk must not cost the cell its numbers
            append_lines(history_file(self.folder / "cells", cell), records)

    def stopped(self) -> bool:
        orphaned = self.parent is not None and os.getppid() != self.parent
        return orphaned or (self.folder / "cancel").exists()

    def may_end_process(self) -> bool:
        return self.parent is not None

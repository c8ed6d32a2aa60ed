"""What a cell, wherever it runs, and its run tell each other: history out, a few lines a second, and "stop" in."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from diffoci.runs.cell_files import history_file
from diffoci.runs.files import append_lines, plain

Records = Sequence[Mapping[str, Any]]
EVERY = 0.3  # seconds between two flushes
_MOST = 10  # records in a flush; faster epochs are thinned evenly


class Channel(Protocol):
    """Pickled together with the cell."""

    def send(self, cell: str, records: Records) -> None:
        """Hand over lines of the cell's history."""

    def stopped(self) -> bool:
        """Say whether the cell should stop."""


@dataclass(frozen=True)
class FolderChannel:
    """For processes that see the run directory: the history is a file there, the request to stop another."""

    folder: Path

    def send(self, cell: str, records: Records) -> None:
        with contextlib.suppress(OSError):  # a full disk must not cost the cell its numbers
            append_lines(history_file(self.folder / "cells", cell), records)

    def stopped(self) -> bool:
        return (self.folder / "cancel").exists()


class Reporter:
    """Collects what a cell tells and sends it on in small lots: every epoch's numbers, theta only now and then."""

    def __init__(self, send: Callable[[list[dict[str, Any]]], None]) -> None:
        self._send = send
        self._waiting: list[dict[str, Any]] = []
        self._sent_at = -EVERY  # the first word goes out at once

    def __call__(self, progress: dict[str, Any]) -> None:
        """Take what `Watch.tell` was told."""
        record = {"time": round(time.time(), 3), **_short(plain(progress, finite=True))}
        if self._waiting and self._waiting[-1].get("epoch") == record.get("epoch"):
            self._waiting[-1].update(record)  # several reports in one epoch are one point of a chart
        else:
            self._waiting.append(record)
        if time.monotonic() - self._sent_at >= EVERY:
            self.flush()

    def flush(self) -> None:
        """Send what waits."""
        waiting, self._waiting, self._sent_at = self._waiting, [], time.monotonic()
        if not waiting:
            return
        step = -(-len(waiting) // _MOST)
        kept = waiting[::-1][::step][::-1]  # counted from the end: the last one always stays
        self._send([without_lists(record) for record in kept[:-1]] + kept[-1:])


def without_lists(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without theta and whatever else is long."""
    return {key: value for key, value in record.items() if not isinstance(value, (list, dict))}


def _short(value: Any) -> Any:
    """Six digits are more than a chart shows."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _short(entry) for key, entry in value.items()}
    return [_short(entry) for entry in value] if isinstance(value, list) else value

"""Thin out what a cell tells: a few lines a second, every epoch's numbers, theta only now and then."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from diffoci.runs.files import plain

EVERY = 0.3  # seconds between two flushes
_MOST = 10  # records a flush; faster epochs are thinned evenly


class Reporter:
    """Collects a cell's progress and sends it on in small lots."""

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

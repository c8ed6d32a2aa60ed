"""Write progress.jsonl while a run goes on: follow the cells' histories, add the whole and the time left."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from diffoci.runs.cell_files import history_file
from diffoci.runs.files import append_lines, opened
from diffoci.runs.progress._pace import Advance
from diffoci.runs.progress.channel import without_lists
from diffoci.runs.progress.records import read_records, records, share
from diffoci.runs.store import Run
from diffoci.runs.study import Cell

EVERY = 0.5  # seconds between two looks at the histories
_SILENCE = 1.0  # seconds without news after which a line says that the run is alive
_CELLS_SHARE = 0.98  # of the bar; the rest is putting the result together


@dataclass
class _Followed:
    """A cell whose history is being read as it grows."""

    cell: Cell
    fraction: float = 0.0
    offset: int = 0
    over: bool = False
    latest: dict[str, Any] = field(default_factory=dict)


class ProgressLog:
    """The one writer of progress.jsonl. A thread of its own, because a cell may keep the main one busy."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._stage = "data"
        self._followed: dict[str, _Followed] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._begun = time.monotonic()
        self._seconds_before = _seconds_so_far(run)
        self._cells_begun = self._begun
        self._overall_before = 0.0
        self._advance = Advance()
        self._said_at = 0.0
        self._thread = threading.Thread(target=self._keep_looking, daemon=True)

    def __enter__(self) -> Self:
        self._say({})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        with self._lock:
            self._look()

    @property
    def seconds(self) -> float:
        """Time spent on this run, earlier sessions included."""
        return self._seconds_before + time.monotonic() - self._begun

    def follow(self, cells: Sequence[Cell], *, finished: Collection[str]) -> None:
        """Start with these cells, some of them finished in an earlier session."""
        with self._lock:
            self._followed = {
                cell.id: _Followed(cell, fraction=float(cell.id in finished), over=cell.id in finished)
                for cell in cells
            }
            self._stage = "cells"
            self._cells_begun = time.monotonic()
            self._overall_before = self._overall()
            self._advance.begin_at(self._overall_before)
            self._say({})

    def end_cell(self, cell: str, state: str, **more: Any) -> None:
        """Say that a cell is done, failed or cancelled."""
        with self._lock:
            self._look_at(self._followed[cell])
            followed = self._followed[cell]
            followed.over, followed.fraction = True, 1.0
            self._say({**followed.latest, **_named(followed.cell), "fraction": 1.0, "state": state, **more})

    def enter(self, stage: str) -> None:
        """Say that the run is in another stage: "result", then "done", "failed", …"""
        with self._lock:
            self._stage = stage
            self._say({})

    def _keep_looking(self) -> None:
        while not self._over.wait(EVERY):
            with self._lock:
                self._look()
                if time.monotonic() - self._said_at >= _SILENCE:
                    self._say({})

    def _look(self) -> None:
        for followed in self._followed.values():
            if not followed.over and self._look_at(followed):
                self._say({**followed.latest, **_named(followed.cell), "fraction": followed.fraction})

    def _look_at(self, followed: _Followed) -> bool:
        """Read what is new in a cell's history; True if there was something."""
        try:
            with opened(history_file(self._run.cells, followed.cell.id)) as file:
                file.seek(followed.offset)
                text = file.read()
        except (OSError, ValueError):
            return False
        whole = text[: text.rfind(b"\n") + 1]
        followed.offset += len(whole)
        for record in records(whole.splitlines()):
            followed.latest = without_lists(record)
            followed.fraction = share(record.get("fraction"), followed.fraction)
        return bool(whole)

    def _overall(self) -> float:
        if self._stage == "done":
            return 1.0
        total = sum(followed.cell.cost for followed in self._followed.values())
        done = sum(followed.cell.cost * followed.fraction for followed in self._followed.values())
        return _CELLS_SHARE * done / total if total > 0 else 0.0

    def _eta(self, overall: float) -> float | None:
        """Time left at the pace of this session, once there is a pace to speak of."""
        gained, seconds = overall - self._overall_before, time.monotonic() - self._cells_begun
        if overall >= 1.0:
            return 0.0
        return round(seconds * (1.0 - overall) / gained, 1) if gained > 0.03 and seconds > 0.5 else None

    def _say(self, line: dict[str, Any]) -> None:
        overall = self._overall()
        whole = {
            "overall": round(self._advance.at(overall), 4),
            "eta": self._eta(overall),
            "elapsed": round(self.seconds, 1),
        }
        with contextlib.suppress(OSError):  # a full disk is reported by what must be written, not by this
            append_lines(
                self._run.progress_file, [{"stage": self._stage, **line, "time": round(time.time(), 3), **whole}]
            )
        self._said_at = time.monotonic()


def _named(cell: Cell) -> dict[str, Any]:
    return {"stage": cell.stage, "method": cell.method, "seed": cell.seed, "cell": cell.id}


def _seconds_so_far(run: Run) -> float:
    lines = read_records(run.progress_file, last_bytes=16_384)
    return float(lines[-1].get("elapsed") or 0.0) if lines else 0.0

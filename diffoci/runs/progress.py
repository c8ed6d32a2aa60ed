"""Read how far a run is, from its directory alone, while it runs or years later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diffoci.runs.cell_files import file_stem, history_file, load_failure
from diffoci.runs.files import read_json, read_lines
from diffoci.runs.store import Run, State

_TAIL = 65_536
_MOST_HISTORY = 2_000_000  # bytes of a cell's history that are read; what a long training leaves is far less


@dataclass(frozen=True)
class CellProgress:
    """How far one cell is. `state` is waiting, running, done or failed; `last` the newest line of its history."""

    id: str
    stage: str
    method: str
    seed: int
    cost: float
    state: str
    fraction: float
    message: str = ""
    last: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """How far a run is. `eta` is in seconds, None while unknown; `stage` is data, cells, result or done.

    `since` is when this session was asked for, in seconds since 1970.
    """

    state: State
    message: str
    stage: str
    fraction: float
    eta: float | None
    elapsed: float
    since: float
    cells: tuple[CellProgress, ...]


def read_progress(run_dir: Path) -> Progress:
    """Return how far a run is; a line torn by a crash or still being written is passed over.

    Parameters
    ----------
    run_dir : Path
        The run directory.
    """
    run = Run.open(run_dir)
    status = run.status()
    lines = read_lines(run.progress_file, last_bytes=_TAIL)
    last = lines[-1] if lines else {}
    stage = next((line["stage"] for line in reversed(lines) if "cell" not in line and "stage" in line), "waiting")
    active = status.state == "running"
    return Progress(
        state=status.state,
        message=status.message,
        stage=stage,
        fraction=1.0 if status.state == "done" else float(last.get("overall") or 0.0),
        eta=last.get("eta") if active else None,
        elapsed=float(last.get("elapsed") or 0.0),
        since=run.recorded_at(),
        cells=tuple(_cell_progress(run, planned, active) for planned in _planned(run)),
    )


def read_history(run_dir: Path, cell: str) -> tuple[dict[str, Any], ...]:
    """Return a cell's history by epoch (loss, T on train and validation, theta now and then), latest attempt only."""
    records = read_lines(history_file(run_dir / "cells", cell), last_bytes=_MOST_HISTORY)
    begins = [k for k, record in enumerate(records) if record.get("state") == "running"]
    return tuple(records[begins[-1] + 1 if begins else 0 :])


def _planned(run: Run) -> list[dict[str, Any]]:
    try:
        cells = read_json(run.plan_file).get("cells")
    except (FileNotFoundError, ValueError):
        return []
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


def _cell_progress(run: Run, planned: dict[str, Any], active: bool) -> CellProgress:
    name = str(planned.get("id"))
    records = read_lines(history_file(run.cells, name), last_bytes=_TAIL)
    last = records[-1] if records else {}
    failure = load_failure(run.cells, name)
    if failure is not None:
        state, fraction = "failed", 1.0
    elif (run.cells / f"{file_stem(name)}.json").exists():
        state, fraction = "done", 1.0
    elif active and records:
        state, fraction = "running", float(last.get("fraction") or 0.0)
    else:
        state, fraction = "waiting", 0.0
    return CellProgress(
        id=name,
        stage=str(planned.get("stage")),
        method=str(planned.get("method")),
        seed=int(planned.get("seed") or 0),
        cost=float(planned.get("cost") or 0.0),
        state=state,
        fraction=fraction,
        message=failure or "",
        last=last,
    )

"""Read how far a run is, from its directory alone, while it runs or years later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diffoci.runs.cell_files import file_stem, history_file, load_failure
from diffoci.runs.progress.records import read_records, share
from diffoci.runs.run_files import PlanFile, PlannedCell, State, read_file
from diffoci.runs.store import Run

_TAIL = 65_536
_MOST_HISTORY = 2_000_000  # bytes of a cell's history that are read; what a long training leaves is far less


@dataclass(frozen=True)
class CellProgress:
    """How far one cell is. `state` is waiting, running, done or failed; `last` the newest line of its history.

    `has_epochs` says whether it told of any: what trains does.
    """

    id: str
    stage: str
    method: str
    seed: int
    title: str
    state: str
    fraction: float
    message: str = ""
    last: Mapping[str, Any] = field(default_factory=dict)
    has_epochs: bool = False


@dataclass(frozen=True)
class Progress:
    """How far a run is. `eta` is in seconds, None while unknown; `stage` is data, cells, result or done.

    `since` is when this session was asked for, in seconds since 1970; `columns` are the names of the weights that
    cells tell of.
    """

    state: State
    message: str
    stage: str
    fraction: float
    eta: float | None
    elapsed: float
    since: float
    cells: tuple[CellProgress, ...]
    columns: tuple[str, ...] = ()


def read_progress(run_dir: Path) -> Progress:
    """Return how far a run is; a line torn by a crash or still being written is passed over.

    Parameters
    ----------
    run_dir : Path
        The run directory.
    """
    run = Run.open(run_dir)
    status = run.status()
    lines = read_records(run.progress_file, last_bytes=_TAIL)
    last = lines[-1] if lines else {}
    stage = next((line["stage"] for line in reversed(lines) if "cell" not in line and line.get("stage")), "waiting")
    active = status.state == "running"
    plan = _plan(run)
    return Progress(
        state=status.state,
        message=status.message,
        stage=stage,
        fraction=1.0 if status.state == "done" else share(last.get("overall")),
        eta=last.get("eta") if active else None,
        elapsed=float(last.get("elapsed") or 0.0),
        since=run.recorded_at(),
        cells=tuple(_cell_progress(run, planned, active) for planned in plan.cells) if plan is not None else (),
        columns=plan.columns if plan is not None else (),
    )


def read_history(run_dir: Path, cell: str) -> tuple[dict[str, Any], ...]:
    """Return a cell's history by epoch (loss, T on train and validation, theta now and then), latest attempt only."""
    records = read_records(history_file(run_dir / "cells", cell), last_bytes=_MOST_HISTORY)
    begins = [k for k, record in enumerate(records) if record.get("state") == "running"]
    return tuple(records[begins[-1] + 1 if begins else 0 :])


def _plan(run: Run) -> PlanFile | None:
    try:
        return read_file(run.plan_file, PlanFile)
    except (OSError, ValueError):
        return None


def _cell_progress(run: Run, planned: PlannedCell, active: bool) -> CellProgress:
    records = read_records(history_file(run.cells, planned.id), last_bytes=_TAIL)
    last = records[-1] if records else {}
    failure = load_failure(run.cells, planned.id)
    if failure is not None:
        state, fraction = "failed", 1.0
    elif (run.cells / f"{file_stem(planned.id)}.json").exists():
        state, fraction = "done", 1.0
    elif active and records:
        state, fraction = "running", share(last.get("fraction"))
    else:
        state, fraction = "waiting", 0.0
    return CellProgress(
        id=planned.id,
        stage=planned.stage,
        method=planned.method,
        seed=planned.seed,
        title=planned.title or planned.method,
        state=state,
        fraction=fraction,
        message=failure or "",
        last=last,
        has_epochs=any(record.get("epoch") is not None for record in records),
    )

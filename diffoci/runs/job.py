"""One cell in one process: a single thread, watched, with every way it can end turned into an outcome."""

from __future__ import annotations

import contextlib
import importlib
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

from diffoci.audit.cells import Cancelled, Cell, Watch
from diffoci.audit.spec import AuditSpec
from diffoci.data.dataset import Dataset
from diffoci.runs.links import Link
from diffoci.runs.outcome import Outcome
from diffoci.runs.provenance import device_name, versions
from diffoci.runs.reporter import Reporter
from diffoci.runs.sentences import sentence_of

ENGINE = "diffoci.audit.engine"
_ONE_CELL_A_PROCESS = threading.Lock()
_LATEST: dict[str, Dataset] = {}  # the data of the audit this process works on


@dataclass(frozen=True)
class Task:
    """A cell and how it reaches its run; the same for every place it can run in."""

    engine: str
    spec: AuditSpec
    cell: Cell
    link: Link


def engine_named(name: str) -> Any:
    """Import the module that plans and computes cells."""
    return importlib.import_module(name)


def perform(task: Task, dataset: Dataset) -> Outcome:
    """Compute one cell; never raises."""
    reporter = Reporter(lambda records: task.link.send(task.cell.id, records))
    begun = time.perf_counter()
    try:
        with _alone(task.link), _single_thread():
            begun = time.perf_counter()
            task.link.send(task.cell.id, [{"time": round(time.time(), 3), "state": "running", "fraction": 0.0}])
            watch = Watch(report=reporter, cancelled=task.link.stopped)
            output = engine_named(task.engine).run_cell(task.spec, _one_copy(dataset), task.cell, watch)
            reporter.flush()
            device = device_name(task.spec.device)
        return Outcome(
            task.cell.id,
            output=output,
            seconds=time.perf_counter() - begun,
            device=device,
            versions=versions(),
        )
    except Cancelled:
        return Outcome(task.cell.id, cancelled=True)
    except Exception as problem:
        reporter.flush()
        return Outcome(task.cell.id, error=sentence(problem), trace=traceback.format_exc())


def _one_copy(dataset: Dataset) -> Dataset:
    """Return the copy this process got first: engines keep what they prepared for the object they know."""
    if _LATEST.get(dataset.sha256) is None:
        _LATEST.clear()
        _LATEST[dataset.sha256] = dataset
    return _LATEST[dataset.sha256]


def sentence(problem: BaseException) -> str:
    """Say what went wrong; errors not written for users are named in brackets, for whoever mends the program."""
    text = str(problem)
    if isinstance(problem, MemoryError) or "out of memory" in text.lower():
        return "Memory ran out; lower the batch size, use fewer rows, or compute on the CPU (device cpu), and resume."
    if isinstance(problem, Exception) and (written := sentence_of(problem)) is not None:
        return written
    named = f"{type(problem).__name__}: {text}".splitlines()[0][:200]
    return f"Something unexpected stopped it ({named}); resuming tries it again, and the log says more."


@contextlib.contextmanager
def _alone(link: Link) -> Iterator[None]:
    """Wait until no other thread of this process computes a cell: they would share torch's random numbers."""
    while not _ONE_CELL_A_PROCESS.acquire(timeout=0.2):
        if link.stopped():
            raise Cancelled
    try:
        if link.stopped():
            raise Cancelled
        yield
    finally:
        _ONE_CELL_A_PROCESS.release()


@contextlib.contextmanager
def _single_thread() -> Iterator[None]:
    """Use one thread: faster on small batches, and sums come out the same on every machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)

"""One cell in one process: a single thread, watched, with every way it can end turned into an outcome."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass

from diffoci.runs.cell_files import Outcome
from diffoci.runs.progress.channel import Channel, Reporter
from diffoci.runs.provenance import versions
from diffoci.runs.sentences import sentence
from diffoci.runs.study import AnyStudy, Cancelled, Cell, Data, Spec, Watch, study_named
from diffoci.threads import one_thread

_ONE_CELL_A_PROCESS = threading.Lock()
_LATEST: dict[tuple[Channel, str], Data] = {}  # the data of the run this process works on


@dataclass(frozen=True)
class Task:
    """A cell, the study it belongs to by name, and how it reaches its run; the same wherever it is computed."""

    study: str
    spec: Spec
    cell: Cell
    channel: Channel


def perform(task: Task, data: Data) -> Outcome:
    """Compute one cell; never raises."""
    reporter = Reporter(lambda records: task.channel.send(task.cell.id, records))
    try:
        with _alone(task.channel):
            study = study_named(task.study)
            with _ready(study):
                begun = time.perf_counter()
                task.channel.send(task.cell.id, [{"time": round(time.time(), 3), "state": "running", "fraction": 0.0}])
                watch = Watch(report=reporter, cancelled=task.channel.stopped)
                output = study.run_cell(task.spec, _one_copy(task.channel, data), task.cell, watch)
                reporter.flush()
        return Outcome(
            task.cell.id,
            output=output,
            seconds=time.perf_counter() - begun,
            device=study.device_name(task.spec),
            versions=versions(),
        )
    except Cancelled:
        return Outcome(task.cell.id, cancelled=True)
    except Exception as problem:
        reporter.flush()
        return Outcome(task.cell.id, error=sentence(problem), trace=traceback.format_exc())


def _one_copy(channel: Channel, data: Data) -> Data:
    """Return the copy this process got first in a run: studies keep what they prepared for the object they know.

    Another run has its own, since equal values may be read otherwise there, say as ordered levels or with weights.
    """
    if (channel, data.sha256) not in _LATEST:
        _LATEST.clear()
        _LATEST[channel, data.sha256] = data
    return _LATEST[channel, data.sha256]


@contextlib.contextmanager
def _alone(channel: Channel) -> Iterator[None]:
    """Wait until no other thread of this process computes a cell: they would share torch's random numbers."""
    while not _ONE_CELL_A_PROCESS.acquire(timeout=0.2):
        if channel.stopped():
            raise Cancelled
    try:
        if channel.stopped():
            raise Cancelled
        yield
    finally:
        _ONE_CELL_A_PROCESS.release()


@contextlib.contextmanager
def _ready(study: AnyStudy) -> Iterator[None]:
    """Load what the study computes with, and let that use one thread.

    One is faster on small batches, and sums come out the same on every machine. Only what is loaded can be told so,
    hence the loading first.
    """
    for module in study.preload:
        importlib.import_module(module)
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 1
    if torch:
        torch.set_num_threads(1)
    try:
        with one_thread():
            yield
    finally:
        if torch:
            torch.set_num_threads(before)

"""Where cells are computed on this machine: in this process, or in processes of their own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing import connection, forkserver
from typing import TYPE_CHECKING

from joblib import cpu_count

from diffoci.data.dataset import Dataset
from diffoci.runs.job import Task, perform
from diffoci.runs.outcome import Outcome

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

_KILLED = "The process that computed it was killed, most likely because memory ran out; use fewer --jobs or fewer rows."
_EVERY = 0.2  # seconds between two looks whether to stop


def default_jobs(device: str) -> int:
    """Return how many processes: one a core, but few of them around a GPU, where each takes memory of its own."""
    cores = int(cpu_count())
    return cores if device == "cpu" else min(cores, 2)


def in_this_process(tasks: Sequence[Task], dataset: Dataset) -> Generator[Outcome]:
    """Compute one cell after another."""
    for task in tasks:
        yield perform(task, dataset)


def load_ahead(engine: str) -> None:
    """Begin to load what cells are computed with, in the process that theirs are forked from; it takes seconds."""
    if isinstance(context := _context(), multiprocessing.context.ForkServerContext):
        context.set_forkserver_preload([engine, __name__])
        # It inherits that Ctrl-C, which reaches the whole group, is not for it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def in_processes(
    tasks: Sequence[Task], dataset: Dataset, *, jobs: int, stopped: Callable[[], bool]
) -> Generator[Outcome]:
    """Compute cells side by side; outcomes come as they are ready.

    A cell whose process was killed is tried once more when nothing else runs: memory may have been short. Only the
    caller writes results, so that ending a process in the middle of a cell loses nothing but that cell.
    """
    waiting, killed, busy = deque(tasks), deque[Task](), dict[connection.Connection, _Worker]()
    idle: list[_Worker] = []

    def lost(task: Task) -> Iterator[Outcome]:
        if jobs > 1:
            killed.append(task)
        else:
            yield Outcome(task.cell.id, error=_KILLED)

    try:
        while (waiting or killed or busy) and not stopped():
            while waiting and len(busy) < jobs:
                task = waiting.popleft()
                try:
                    worker = idle.pop() if idle else _Worker(dataset)
                except (OSError, EOFError):  # killed while it took over the data
                    yield from lost(task)
                    continue
                worker.begin(task)
                busy[worker.link] = worker
            if not busy:
                while idle:
                    idle.pop().end()
                jobs, waiting, killed = 1, killed, deque()
                continue
            for link in connection.wait(list(busy), timeout=_EVERY):
                worker = busy.pop(link)  # type: ignore[call-overload]
                if (outcome := worker.outcome()) is not None:
                    idle.append(worker)
                    yield outcome
                else:
                    yield from lost(worker.task)
    finally:
        for worker in (*busy.values(), *idle):
            worker.end()


class _Worker:
    """A process that computes one cell after another for this one, and ends with it."""

    def __init__(self, dataset: Dataset) -> None:
        self.link, theirs = multiprocessing.Pipe()
        self._process = _context().Process(target=_serve, args=(theirs, dataset), daemon=True)
        try:
            with _without_main():
                self._process.start()
        except (OSError, EOFError):
            self.link.close()
            raise
        finally:
            theirs.close()

    def begin(self, task: Task) -> None:
        self.task = task
        with contextlib.suppress(BrokenPipeError):  # killed between two cells: seen when its outcome is asked for
            self.link.send(task)

    def outcome(self) -> Outcome | None:
        """What it found, or None if it was killed."""
        try:
            found: Outcome = self.link.recv()
            return found
        except (EOFError, OSError):
            self.end()
            return None

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.link.close()


def _serve(link: connection.Connection, dataset: Dataset) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the coordinator answers it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task: Task = link.recv()
        except EOFError:
            return
        link.send(perform(task, dataset))


def _end_with_parent() -> None:
    """End this process when the coordinator is gone: nobody waits for what it computes."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hide the program from the processes it starts: they would run its file again, and an analyst's script with it."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def _context() -> ForkServerContext | SpawnContext:
    """Forked processes start at once and share what is loaded; a Mac's graphics card does not survive a fork."""
    on_a_mac = sys.platform == "darwin"
    return multiprocessing.get_context("spawn") if on_a_mac else multiprocessing.get_context("forkserver")

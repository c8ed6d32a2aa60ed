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
from dataclasses import replace
from multiprocessing import connection, forkserver
from typing import TYPE_CHECKING, Self

from joblib import cpu_count

from diffoci.runs._cell_process import Task, perform
from diffoci.runs.cell_files import Outcome
from diffoci.runs.study import AnyStudy, Data

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

_KILLED = "The process that computed it was killed, most likely because memory ran out; use fewer --jobs or fewer rows."
_EVERY = 0.2  # seconds between two looks whether to stop


def default_jobs(device: str) -> int:
    """Return how many processes: one for each core, but few around a GPU, where each takes memory of its own."""
    cores = int(cpu_count())
    return cores if device == "cpu" else min(cores, 2)


def in_this_process(tasks: Sequence[Task], data: Data) -> Generator[Outcome]:
    """Compute one cell after another."""
    for task in tasks:
        yield perform(task, data)


def load_ahead(study: AnyStudy) -> None:
    """Begin to load what cells are computed with, in the process that theirs are forked from; it takes seconds."""
    if isinstance(context := _context(), multiprocessing.context.ForkServerContext):
        context.set_forkserver_preload([*study.preload, type(study).__module__, __name__])
        # It inherits that Ctrl-C, which reaches the whole group, is not for it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def in_processes(tasks: Sequence[Task], data: Data, *, jobs: int, stopped: Callable[[], bool]) -> Generator[Outcome]:
    """Compute cells side by side; outcomes come as they are ready.

    A cell whose process was killed is tried once more when nothing else runs: memory may have been short. Only the
    caller writes results, so that ending a process in the middle of a cell loses nothing but that cell.
    """
    with _Workers(data) as workers:
        killed = list[Task]()
        for task, outcome in workers.work_off(tasks, jobs=jobs, stopped=stopped):
            if outcome is None:
                killed.append(task)
            else:
                yield outcome
        workers.end_idle()
        for task, outcome in workers.work_off(killed, jobs=1, stopped=stopped):
            yield outcome or Outcome(task.cell.id, error=_KILLED)


class _Workers:
    """The processes that compute for this one."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._busy: dict[connection.Connection, _Worker] = {}
        self._idle: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._busy.values():
            worker.end()
        self.end_idle()

    def end_idle(self) -> None:
        while self._idle:
            self._idle.pop().end()

    def work_off(
        self, tasks: Sequence[Task], *, jobs: int, stopped: Callable[[], bool]
    ) -> Iterator[tuple[Task, Outcome | None]]:
        """Compute cells, `jobs` at a time; None is the outcome of one whose process was killed."""
        waiting = deque(tasks)
        while (waiting or self._busy) and not stopped():
            while waiting and len(self._busy) < jobs:
                task = self._next(waiting)
                if not self._begin(task):
                    yield task, None
            for link in connection.wait(list(self._busy), timeout=_EVERY) if self._busy else ():
                worker = self._busy.pop(link)  # type: ignore[call-overload]
                if (outcome := worker.outcome()) is not None:
                    self._idle.append(worker)
                yield worker.task, outcome

    def _next(self, waiting: deque[Task]) -> Task:
        """The first task that is kin to what the free process did last; the first kin to none that others do; any.

        That last one is done by itself, without its kin.
        """
        last = self._idle[-1].task.cell.kin if self._idle else ""
        elsewhere = {worker.task.cell.kin for worker in self._busy.values()}
        kin = [task.cell.kin for task in waiting]
        place = next((k for k, name in enumerate(kin) if name and name == last), None)
        if place is None:
            place = next((k for k, name in enumerate(kin) if name not in elsewhere), 0)
        task = waiting[place]
        del waiting[place]
        if task.cell.kin in elsewhere - {last}:  # the process that has what they share is busy
            return replace(task, cell=replace(task.cell, kin=""))
        return task

    def _begin(self, task: Task) -> bool:
        """Hand a cell to a process; False where that was killed while it took over the data."""
        try:
            worker = self._idle.pop() if self._idle else _Worker(self._data)
        except (OSError, EOFError):
            return False
        worker.begin(task)
        self._busy[worker.link] = worker
        return True


class _Worker:
    """A process that computes one cell after another for this one, and ends with it."""

    def __init__(self, data: Data) -> None:
        self.link, theirs = multiprocessing.Pipe()
        self._process = _context().Process(target=_serve, args=(theirs, data, dict(os.environ)), daemon=True)
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


def _serve(link: connection.Connection, data: Data, environment: dict[str, str]) -> None:
    # It is forked from a process that may be older than what this one was told since: where the cache lies, say.
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the coordinator answers it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task: Task = link.recv()
        except EOFError:
            return
        link.send(perform(task, data))


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

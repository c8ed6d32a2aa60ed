"""Where cells are computed on this machine: in this process, or in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool

from joblib import Parallel, cpu_count, delayed, parallel_config

from diffoci.data.dataset import Dataset
from diffoci.runs.job import Task, perform
from diffoci.runs.outcome import Outcome

_KILLED = "The process that computed it was killed, most likely because memory ran out; use fewer --jobs or fewer rows."


def default_jobs(device: str) -> int:
    """Return how many processes: one a core, but few of them around a GPU, where each takes memory of its own."""
    cores = int(cpu_count())
    return cores if device == "cpu" else min(cores, 2)


def in_this_process(tasks: Sequence[Task], dataset: Dataset) -> Iterator[Outcome]:
    """Compute one cell after another."""
    for task in tasks:
        yield perform(task, dataset)


def in_processes(
    tasks: Sequence[Task], dataset: Dataset, *, jobs: int, started: Callable[[], set[str]], stopped: Callable[[], bool]
) -> Iterator[Outcome]:
    """Compute cells side by side; outcomes come as they are ready.

    A process killed from outside takes the whole pool down, and nobody knows which cell it had. So the cells
    that had begun are repeated, each in a pool of its own; the one that breaks it again has failed, the rest go on.
    """
    open_tasks = {task.cell.id: task for task in tasks}
    alone: list[str] = []
    while open_tasks and not stopped():
        batch = [open_tasks[alone.pop()]] if alone else list(open_tasks.values())
        try:
            for outcome in _pool(batch, dataset, jobs=min(jobs, len(batch))):
                del open_tasks[outcome.cell]
                yield outcome
        except BrokenProcessPool:
            if stopped():
                return  # a cell that did not listen ended itself
            if len(batch) == 1:
                del open_tasks[batch[0].cell.id]
                yield Outcome(batch[0].cell.id, error=_KILLED)
            else:
                begun = started()
                alone = [name for name in open_tasks if name in begun] or list(open_tasks)


def _pool(tasks: Sequence[Task], dataset: Dataset, *, jobs: int) -> Iterator[Outcome]:
    with parallel_config(backend="loky", inner_max_num_threads=1):
        # Two workers at least, else joblib would compute in this process; copy-on-write: cells may not share writes.
        parallel = Parallel(n_jobs=max(jobs, 2), return_as="generator_unordered", batch_size=1, mmap_mode="c")
        yield from parallel(delayed(perform)(task, dataset) for task in tasks)

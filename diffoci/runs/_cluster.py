"""Cells on the machines of a Dask cluster, through joblib's backend."""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from joblib import Parallel, delayed, parallel_config

from diffoci.runs._cell_process import Task, perform
from diffoci.runs.cell_files import Outcome
from diffoci.runs.progress.channel import FolderChannel, Records
from diffoci.runs.study import Data

CONNECTING = 10  # seconds for the scheduler to answer
_PATIENCE = 2.0  # seconds for cells to stop; a worker of a cluster is not ours to end
_NO_WORKER = 20.0  # seconds to wait for a first worker
_LOST = "The workers of the cluster that computed it were killed, most likely because memory ran out."
_NO_SCHEDULER = (
    "The scheduler of the cluster is gone; what was finished is kept: resume it on this machine, or with "
    "--cluster once there is a scheduler again."
)
_STOPPED: set[str] = set()  # in a worker: topics of runs that were cancelled


@dataclass(frozen=True)
class ClusterChannel:
    """For cells on other machines: history goes as events of the cluster, "stop" comes from the scheduler."""

    topic: str

    def send(self, cell: str, records: Records) -> None:
        from distributed import get_worker

        get_worker().log_event(self.topic, {"cell": cell, "records": [dict(record) for record in records]})

    def stopped(self) -> bool:
        from distributed import get_worker

        if self.topic in _STOPPED:
            return True
        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
        return task is None or task.state == "cancelled"  # the coordinator is gone: nobody waits for this cell


def on_cluster(address: str, tasks: Sequence[Task], data: Data, channel: FolderChannel) -> Generator[Outcome]:
    """Compute cells on a cluster; outcomes come as they are ready.

    Parameters
    ----------
    address : str
        Of the scheduler, ``tcp://host:port``.
    channel : FolderChannel
        The run directory on this machine; the workers need not see it.
    """
    topic = f"diffoci-{uuid.uuid4().hex}"
    # Workers are chosen by the scheduler, which knows of no kin: every cell is done by itself.
    tasks = [replace(task, channel=ClusterChannel(topic), cell=replace(task.cell, kin="")) for task in tasks]
    with _connected(address) as client:
        client.subscribe_topic(topic, lambda event: channel.send(event[1]["cell"], event[1]["records"]))
        open_cells = {task.cell.id for task in tasks}
        for outcome in _collected(client, topic, tasks, data, channel):
            open_cells.discard(outcome.cell)
            yield outcome
        if channel.stopped():
            return
        for cell in sorted(open_cells):
            yield Outcome(cell, error=_LOST)


def _collected(client: Any, topic: str, tasks: Sequence[Task], data: Data, channel: FolderChannel) -> Iterator[Outcome]:
    """Take outcomes from joblib, which waits without end, in a thread of its own, and look up now and then."""
    arrived: queue.Queue[Outcome | BaseException | None] = queue.Queue()
    threading.Thread(target=_gather, args=(client, tasks, data, arrived), daemon=True).start()
    asked_at: float | None = None
    while True:
        try:
            item = arrived.get(timeout=0.25)
        except queue.Empty:
            _refuse_lost_scheduler(client)
            if asked_at is None and channel.stopped():
                asked_at = time.monotonic()
                client.run(_stop, topic, wait=False)
            if asked_at is not None and time.monotonic() - asked_at > _PATIENCE:
                return
            if _only_lost_left(client):
                return
            continue
        if item is None:
            return
        if isinstance(item, BaseException):
            _refuse_lost_scheduler(client)
            raise item
        yield item


def _refuse_lost_scheduler(client: Any) -> None:
    """End the run where the scheduler is gone: it alone knew what was computed and where."""
    if client.status != "running":
        raise ValueError(_NO_SCHEDULER)


async def _stop(topic: str) -> None:  # as a coroutine, so that nobody waits for a busy worker
    _STOPPED.add(topic)


def _gather(client: Any, tasks: Sequence[Task], data: Data, arrived: queue.Queue[Any]) -> None:
    try:
        # Every worker gets the data once; it survives as long as one of them does.
        with parallel_config(backend=_backend(client, data)):
            parallel = Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1, pre_dispatch="all")
            for outcome in parallel(delayed(perform)(task, data) for task in tasks):
                arrived.put(outcome)
        arrived.put(None)
    except BaseException as problem:
        arrived.put(problem)


def _backend(client: Any, data: Data) -> Any:
    from joblib._dask import DaskDistributedBackend

    backend = DaskDistributedBackend(client=client, scatter=[data])
    jobs = backend.effective_n_jobs
    # With one thread in the whole cluster joblib would compute in this process instead of over there.
    backend.effective_n_jobs = lambda n_jobs: max(2, int(jobs(n_jobs)))
    return backend


def _only_lost_left(client: Any) -> bool:
    """Say whether the cluster gave up on what is still open; joblib would wait for it for ever."""
    states = [future.status for key, future in client.futures.items() if str(key).startswith("batch_of_")]
    return "pending" not in states and any(state in ("error", "cancelled", "lost") for state in states)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("Using a cluster needs Dask: install it with pip install 'diffoci[cluster]'.") from None
    try:
        client: Any = Client(address, timeout=CONNECTING, set_as_default=False)  # the package says nothing of types
    except (OSError, ValueError) as problem:
        raise ValueError(f"There is no Dask scheduler at {address} ({problem}); check the address.") from None
    try:
        try:
            client.wait_for_workers(1, timeout=_NO_WORKER)
        except TimeoutError:
            raise ValueError(
                f"The Dask scheduler at {address} has no worker; start one with: dask worker {address}"
            ) from None
        yield client
    finally:
        client.close()

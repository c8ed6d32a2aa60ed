"""Work on a run in its directory: plan, compute what is not there yet, put the result together."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from joblib import cpu_count

from diffoci.runs._cell_process import Task
from diffoci.runs._pool import default_jobs, in_processes, in_this_process, load_ahead
from diffoci.runs.cell_files import (
    Origin,
    Outcome,
    forget_attempt,
    load_cell,
    load_failure,
    save_cell,
    save_failure,
)
from diffoci.runs.files import plain, remove_parts, said_in_words, write_json
from diffoci.runs.lock import RunLock
from diffoci.runs.memory import check_memory, jobs_that_fit
from diffoci.runs.progress.channel import FolderChannel
from diffoci.runs.progress.log import ProgressLog
from diffoci.runs.provenance import versions
from diffoci.runs.run_files import SCHEMA, PlanFile, PlannedCell, read_file
from diffoci.runs.sentences import sentence
from diffoci.runs.store import Run, Status
from diffoci.runs.study import AnyStudy, Cell, Data, Made

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Means:
    """What to compute with; none of it changes the numbers.

    Parameters
    ----------
    jobs : int, optional
        Processes on this machine, by default one for each core; 1 computes in the calling process.
    cluster : str, optional
        Address of a Dask scheduler (``tcp://host:port``) that computes the cells instead.
    """

    jobs: int | None = None
    cluster: str | None = None

    def load_ahead(self, study: AnyStudy) -> None:
        """Begin to load what cells are computed with, while this process does something else."""
        if self.cluster is None and (self.jobs or int(cpu_count())) > 1:
            load_ahead(study)


def execute(run: Run, means: Means | None = None, *, lock: RunLock | None = None) -> Status:
    """Work on a run to its end, or continue one that was stopped; finished cells are kept.

    Parameters
    ----------
    run : Run
        The run directory.
    means : Means, optional
        What to compute with.
    lock : RunLock, optional
        Hold on the directory, where the caller took it already.

    Returns
    -------
    Status
        Done (single cells may have failed, see the result), failed, or cancelled.

    Raises
    ------
    AlreadyRunning
        If another live process works on it.
    ValueError, OSError
        With a sentence, which is recorded in the run as well.
    """
    with lock or run.lock():
        if lock is None:  # whoever handed the lock down wrote it when the run was asked for
            run.record("running")
        try:
            with ProgressLog(run) as log:
                status = _Session(run, means or Means(), log).work()
                log.enter(status.state)
        except KeyboardInterrupt:
            run.record("interrupted", "It was stopped from outside; resume it.")
            raise
        except Exception as problem:
            if _is_readable(run):
                run.record("done", f"Its result is the earlier one; going on failed: {sentence(problem)}")
            else:
                run.record("failed", sentence(problem))
            raise
        run.record(status.state, status.message)
        return status


class _Session:
    """One go at a run, by whoever holds its lock."""

    def __init__(self, run: Run, means: Means, log: ProgressLog) -> None:
        self.run, self.study, self.means, self.log = run, run.study, means, log
        means.load_ahead(self.study)

    def work(self) -> Status:
        with said_in_words(self.run.cells):
            self.run.cells.mkdir(exist_ok=True)  # which copies of a run, and archives without parts, may lack
        remove_parts(self.run.folder)
        remove_parts(self.run.cells)
        if self.run.is_cancelled():
            return Status("cancelled")
        self.study.check_local(self.run.spec)
        data = self.study.load(self.run.spec)
        cells = tuple(self.study.plan(self.run.spec, data))
        origin = Origin(self.run.spec.digest(), data.sha256)
        missing = [cell for cell in cells if load_cell(self.run.cells, origin, cell.id) is None]
        if missing and self.means.cluster is None:
            check_memory(self.study, self.run.spec, data, folder=self.run.folder)
        self._keep_plan(origin, data, cells)
        if not missing and _is_readable(self.run):
            return Status("done")
        if not self._compute(missing, data, cells, origin):
            return Status("cancelled")
        return self._conclude(data, cells, origin)

    def _keep_plan(self, origin: Origin, data: Data, cells: Sequence[Cell]) -> None:
        """Write the plan; later sessions must find the same data."""
        names = [cell.id for cell in cells]
        if len(set(names)) < len(names):
            raise ValueError("Two parts of the run have the same name; this is a mistake in the program.")
        path = self.run.plan_file
        if path.exists() and read_file(path, PlanFile).sha256 != origin.sha256:
            raise ValueError("The data changed since this run began; start a new one, or put the old data back.")
        plan = PlanFile(
            digest=origin.digest,
            sha256=origin.sha256,
            memory=self.study.bytes_needed(self.run.spec, data) * self._processes(len(cells)),
            columns=tuple(self.study.column_names(self.run.spec, data)),
            cells=tuple(
                PlannedCell(
                    id=cell.id,
                    stage=cell.stage,
                    method=cell.method,
                    seed=cell.seed,
                    cost=cell.cost,
                    title=cell.title or cell.method,
                )
                for cell in cells
            ),
        )
        write_json(path, plan)

    def _compute(self, missing: Sequence[Cell], data: Data, cells: Sequence[Cell], origin: Origin) -> bool:
        """Compute the cells that are not there, in the order of the plan; False if asked to stop."""
        finished = {cell.id for cell in cells} - {cell.id for cell in missing}
        for cell in missing:
            forget_attempt(self.run.cells, cell.id)
        self.log.follow(cells, finished=finished)
        waited_for = {cell.id for cell in missing}
        with contextlib.closing(self._outcomes(missing, data)) as outcomes:
            for outcome in outcomes:
                waited_for -= set() if outcome.cancelled else {outcome.cell}
                self._keep(outcome, origin)
        return not waited_for and not self.run.is_cancelled()

    def _processes(self, parts: int) -> int:
        """How many processes this run would like to have."""
        return min(self.means.jobs or default_jobs(self.study.device_name(self.run.spec)), parts)

    def _outcomes(self, missing: Sequence[Cell], data: Data) -> Generator[Outcome]:
        if not missing:
            return in_this_process((), data)
        if self.means.cluster is not None:
            from diffoci.runs._cluster import on_cluster

            return on_cluster(self.means.cluster, self._tasks(missing), data, FolderChannel(self.run.folder))
        each = self.study.bytes_needed(self.run.spec, data)
        jobs = jobs_that_fit(each, self._processes(len(missing)), folder=self.run.folder)
        if jobs == 1:
            return in_this_process(self._tasks(missing), data)
        return in_processes(self._tasks(missing), data, jobs=jobs, stopped=self.run.is_cancelled)

    def _tasks(self, cells: Sequence[Cell]) -> list[Task]:
        channel = FolderChannel(self.run.folder.resolve())
        return [Task(self.study.name, self.run.spec, cell, channel) for cell in cells]

    def _keep(self, outcome: Outcome, origin: Origin) -> None:
        if outcome.cancelled:
            return
        if outcome.output is not None and outcome.versions != versions():
            outcome = Outcome(outcome.cell, error=_other_versions(outcome.versions))
        if outcome.output is None:
            _LOG.warning("%s: %s", outcome.cell, outcome.error)
            _LOG.info("%s", outcome.trace)
            save_failure(self.run.cells, outcome)
            self.log.end_cell(outcome.cell, "failed", message=outcome.error)
        else:
            save_cell(self.run.cells, origin, outcome)
            self.log.end_cell(outcome.cell, "done")

    def _conclude(self, data: Data, cells: Sequence[Cell], origin: Origin) -> Status:
        """Put the result together from what is on disk, so that it cannot depend on how often the run was stopped."""
        self.log.enter("result")
        found = {cell.id: load_cell(self.run.cells, origin, cell.id) for cell in cells}
        kept = {name: cell for name, cell in found.items() if cell is not None}
        failures = {
            name: load_failure(self.run.cells, name) or "It has no result." for name in found if name not in kept
        }
        if reason := _why_failed(cells, failures):
            return Status("failed", reason)
        devices = sorted({cell.device for cell in kept.values()})
        made = Made(versions(), ", ".join(devices), round(self.log.seconds, 1))
        outputs = {name: cell.output for name, cell in kept.items()}
        result = plain(self.study.assemble(self.run.spec, data, outputs, failures, made))
        head = {"schema": SCHEMA, "id": self.run.id, "study": self.study.name}
        write_json(self.run.result_file, {**head, **result, **head, "failures": failures}, indent=1)
        count = len(failures)
        return Status("done", f"{count} of {len(cells)} parts failed; the result says which." if count else "")


def _why_failed(cells: Sequence[Cell], failures: Mapping[str, str]) -> str:
    """Say why there is no result: every cell that is needed failed, or every cell where none is."""
    needed = [cell.id for cell in cells if cell.needed] or [cell.id for cell in cells]
    if not needed:
        return "There was nothing to compute."
    return failures[needed[0]] if all(name in failures for name in needed) else ""


def _is_readable(run: Run) -> bool:
    """Say whether the result is there and whole; one that is not is put together again from the cells."""
    try:
        return run.result() is not None
    except (ValueError, OSError):
        return False


def _other_versions(theirs: Mapping[str, str]) -> str:
    ours = versions()
    package = next((name for name in ours if theirs.get(name) != ours[name]), "python")
    return (
        f"A worker of the cluster has {package} {theirs.get(package)}, this machine {ours[package]}; "
        "install the same versions, else the numbers would differ."
    )

"""Run an audit in its directory: plan, compute what is not there yet, put the result together."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from joblib import cpu_count

from diffoci.audit.cells import Cell, CellOutput
from diffoci.data.dataset import Dataset
from diffoci.runs.cell_files import (
    Origin,
    forget_attempt,
    load_cell,
    load_failure,
    save_cell,
    save_failure,
)
from diffoci.runs.files import read_json, remove_parts, write_json
from diffoci.runs.job import ENGINE, Task, engine_named, sentence
from diffoci.runs.links import FolderLink
from diffoci.runs.lock import RunLock
from diffoci.runs.memory import bytes_needed, jobs_that_fit
from diffoci.runs.outcome import Outcome
from diffoci.runs.places import default_jobs, in_processes, in_this_process, load_ahead
from diffoci.runs.progress_log import ProgressLog
from diffoci.runs.provenance import device_name, versions
from diffoci.runs.schema import SCHEMA, check_schema
from diffoci.runs.store import Run, Status

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Means:
    """What to compute with; none of it changes the numbers.

    Parameters
    ----------
    jobs : int, optional
        Processes on this machine, by default one a core; 1 computes in the calling process.
    cluster : str, optional
        Address of a Dask scheduler (``tcp://host:port``) that computes the cells instead.
    engine : str
        Module that plans, computes and assembles.
    """

    jobs: int | None = None
    cluster: str | None = None
    engine: str = field(default=ENGINE, repr=False)

    def load_ahead(self) -> None:
        """Begin to load what cells are computed with, while this process does something else."""
        if self.cluster is None and (self.jobs or int(cpu_count())) > 1:
            load_ahead(self.engine)


def run_audit(run: Run, means: Means | None = None, *, lock: RunLock | None = None) -> Status:
    """Run an audit to its end, or continue one that was stopped; finished cells are kept.

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
        If another live process runs it.
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
        self.run, self.means, self.log = run, means, log
        means.load_ahead()
        self.engine = engine_named(means.engine)

    def work(self) -> Status:
        remove_parts(self.run.folder)
        remove_parts(self.run.cells)
        if self.run.is_cancelled():
            return Status("cancelled")
        self.run.spec.check_names_its_file_whole()
        dataset = self.engine.load_dataset(self.run.spec)
        cells = tuple(self.engine.plan(self.run.spec, dataset))
        origin = Origin(self.run.spec.digest(), dataset.sha256)
        _keep_plan(self.run, origin, cells, memory=self._bytes_of_one(dataset) * self._processes(len(cells)))
        missing = [cell for cell in cells if load_cell(self.run.cells, origin, cell.id) is None]
        if not missing and _is_readable(self.run):
            return Status("done")
        if not self._compute(missing, dataset, cells, origin):
            return Status("cancelled")
        return self._conclude(dataset, cells, origin)

    def _compute(self, missing: Sequence[Cell], dataset: Dataset, cells: Sequence[Cell], origin: Origin) -> bool:
        """Compute the cells that are not there, in the order of the plan; False if asked to stop."""
        finished = {cell.id for cell in cells} - {cell.id for cell in missing}
        for cell in missing:
            forget_attempt(self.run.cells, cell.id)
        self.log.follow(cells, finished=finished)
        waited_for = {cell.id for cell in missing}
        with contextlib.closing(self._outcomes(missing, dataset)) as outcomes:
            for outcome in outcomes:
                waited_for -= set() if outcome.cancelled else {outcome.cell}
                self._keep(outcome, origin)
        return not waited_for and not self.run.is_cancelled()

    def _bytes_of_one(self, dataset: Dataset) -> float:
        return bytes_needed(dataset, self.run.spec.settings)

    def _processes(self, parts: int) -> int:
        """How many processes this audit would like to have."""
        return min(self.means.jobs or default_jobs(device_name(self.run.spec.device)), parts)

    def _outcomes(self, missing: Sequence[Cell], dataset: Dataset) -> Generator[Outcome]:
        if not missing:
            return in_this_process((), dataset)
        if self.means.cluster is not None:
            from diffoci.runs.cluster import on_cluster

            return on_cluster(self.means.cluster, self._tasks(missing), dataset, FolderLink(self.run.folder))
        jobs = jobs_that_fit(self._bytes_of_one(dataset), self._processes(len(missing)), folder=self.run.folder)
        if jobs == 1:
            return in_this_process(self._tasks(missing), dataset)
        return in_processes(self._tasks(missing), dataset, jobs=jobs, stopped=self.run.is_cancelled)

    def _tasks(self, cells: Sequence[Cell]) -> list[Task]:
        link = FolderLink(self.run.folder.resolve())
        return [Task(self.means.engine, self.run.spec, cell, link) for cell in cells]

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

    def _conclude(self, dataset: Dataset, cells: Sequence[Cell], origin: Origin) -> Status:
        """Put the result together from what is on disk, so that it cannot depend on how often the run was stopped."""
        self.log.enter("result")
        kept = {cell.id: load_cell(self.run.cells, origin, cell.id) for cell in cells}
        outputs: dict[str, CellOutput] = {name: cell.output for name, cell in kept.items() if cell is not None}
        failures = {
            name: load_failure(self.run.cells, name) or "It has no result." for name in kept if name not in outputs
        }
        methods = {cell.id for cell in cells if cell.stage == "methods"}
        if not outputs or (methods and not methods & set(outputs)):
            wanted = [failures[name] for name in failures if name in methods or not methods]
            return Status("failed", next(iter(wanted), "There was nothing to compute."))
        result = dict(self.engine.assemble(self.run.spec, dataset, outputs, failures))
        devices = sorted({cell.device for cell in kept.values() if cell is not None})
        result["provenance"] = {
            **result.get("provenance", {}),
            "versions": versions(),
            "device": ", ".join(devices),
            "seconds": round(self.log.seconds, 1),
        }
        result.setdefault("failures", failures)
        head = {"schema": result.pop("schema", SCHEMA), "id": self.run.id}
        write_json(self.run.result_file, {**head, **result}, indent=1)
        count = len(failures)
        return Status("done", f"{count} of {len(cells)} parts failed; the result says which." if count else "")


def _is_readable(run: Run) -> bool:
    """Say whether the result is there and whole; one that is not is put together again from the cells."""
    try:
        return bool(run.result())
    except (ValueError, OSError):
        return False


def _keep_plan(run: Run, origin: Origin, cells: Sequence[Cell], *, memory: float) -> None:
    """Write the plan; later sessions must find the same data. `memory` is what others should leave to this audit."""
    names = [cell.id for cell in cells]
    if len(set(names)) < len(names):
        raise ValueError("Two parts of the audit have the same name; this is a mistake in the program.")
    if run.plan_file.exists():
        known = read_json(run.plan_file)
        check_schema(known, run.plan_file)
        if known.get("sha256") != origin.sha256:
            raise ValueError("The data changed since this audit began; start a new audit, or put the old data back.")
    planned: list[Mapping[str, Any]] = [
        {"id": cell.id, "stage": cell.stage, "method": cell.method, "seed": cell.seed, "cost": cell.cost}
        for cell in cells
    ]
    content = {"schema": SCHEMA, "digest": origin.digest, "sha256": origin.sha256, "memory": memory, "cells": planned}
    write_json(run.plan_file, content)


def _other_versions(theirs: Mapping[str, str]) -> str:
    ours = versions()
    package = next((name for name in ours if theirs.get(name) != ours[name]), "python")
    return (
        f"A worker of the cluster has {package} {theirs.get(package)}, this machine {ours[package]}; "
        "install the same versions, else the numbers would differ."
    )

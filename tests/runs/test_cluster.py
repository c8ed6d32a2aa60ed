"""Runs on a Dask cluster: a scheduler and two workers on this machine, one of them killed half way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.files import read_json
from diffoci.runs.progress import read_history, read_progress
from diffoci.runs.progress.records import read_records
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from tests.runs.conftest import HERE, PATH, numbers, undisturbed, wait_until

pytest.importorskip("distributed")
NewRun = Callable[..., Run]
TINY: dict[str, Any] = {
    "network": {"max_epochs": 2, "hidden": (8,), "small_data_epochs": 1},
    "penalised": {"max_epochs": 2, "hidden": (8,), "small_data_epochs": 1},
    "adversary": {"max_epochs": 2, "hidden": (8,), "small_data_epochs": 1},
    "vec": {"max_epochs": 2},
    "probe": {"max_epochs": 2, "hidden": (8,)},
    "null_draws": 100,
    "permutations": 9,
    "exact_rows": 100,
}


@dataclass
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]

    @property
    def means(self) -> Means:
        return Means(cluster=self.address)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    # Workers need no setting of ours, no commands and no home. The rest of the environment stays: some of it tells the
    # numerical libraries which code to use on this processor (OPENBLAS_CORETYPE); with other code last digits differ.
    same = {name: value for name, value in os.environ.items() if not name.startswith("DIFFOCI_")}
    environment = {**same, "PYTHONPATH": PATH, "PATH": "", "HOME": str(folder)}
    dask = [sys.executable, "-m", "dask"]

    def launch(name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (folder / name).open("wb") as log:
            return subprocess.Popen([*dask, *arguments], stdout=log, stderr=log, env=environment, cwd=folder)

    scheduler = launch("scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    log = folder / "scheduler"
    wait_until(lambda: re.search(r"Scheduler at:\s+tcp", log.read_text()))
    address = re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text())[1]  # type: ignore[index]
    options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--death-timeout", "60")
    workers = [launch(f"worker{k}", "worker", address, *options) for k in range(2)]
    yield Cluster(address, scheduler, workers)
    for process in [*workers, scheduler]:
        process.kill()
        process.wait()


@pytest.mark.alone
def test_cancel_takes_effect_on_a_cluster_in_three_seconds_and_frees_its_workers(
    new_run: NewRun, cluster: Cluster
) -> None:
    slow = new_run(seconds=60)
    thread = threading.Thread(target=execute, args=(slow, cluster.means))
    thread.start()
    wait_until(lambda: len({line["pid"] for line in read_records(slow.progress_file) if "pid" in line}) == 2)
    slow.cancel()
    assert wait_until(lambda: slow.status().state == "cancelled") < 3.0
    thread.join()


def test_a_real_audit_has_the_same_numbers_on_a_cluster_as_here(cluster: Cluster) -> None:
    methods = ["standard", "dF3+penalty", "adversary"]
    options = {"rows": 200}
    spec = make_spec("truth", preset="quick", methods=methods, seeds=2, options=options, settings=TINY, device="cpu")
    there, here = Run.create(AUDIT, spec), Run.create(AUDIT, spec)
    assert execute(there, Means(cluster=cluster.address)).state == "done"
    assert execute(here, Means(jobs=2)).state == "done"
    assert read_json(there.result_file)["failures"] == {}
    found, expected = whatever_was_found(there), whatever_was_found(here)
    assert found.keys() == expected.keys()
    assert {path: (found[path], expected[path]) for path in found if found[path] != expected[path]} == {}


def whatever_was_found(run: Run) -> dict[str, Any]:
    """Every number and word of a result by its path, so that a difference says where it is."""
    result = read_json(run.result_file)
    return dict(_leaves({name: result[name] for name in ("methods", "curve", "features", "groups", "failures")}))


def _leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else None
    if inside is None:
        yield path, part
    else:
        for name, one in inside:
            yield from _leaves(one, f"{path} > {name}")


def test_a_cluster_that_loses_a_worker_half_way_gives_the_same_numbers(new_run: NewRun, cluster: Cluster) -> None:
    run = new_run(seconds=0.8, seeds=3)
    thread = threading.Thread(target=execute, args=(run, cluster.means))
    thread.start()

    def done() -> int:
        return sum(cell.state == "done" for cell in read_progress(run.folder).cells)

    wait_until(lambda: done() >= 2)
    cluster.workers[0].send_signal(signal.SIGKILL)
    assert done() < 6
    thread.join(timeout=40)
    assert run.status().state == "done"
    assert run.result().failures == {}
    assert numbers(run) == undisturbed(run)
    assert read_history(run.folder, "methods-dF3-0")[-1]["epoch"] == 19
    assert not any((run.cells / "..").resolve().glob("*.pkl"))


def test_no_scheduler_is_a_sentence(new_run: NewRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run()
    monkeypatch.setattr("diffoci.runs._cluster.CONNECTING", 1)
    with pytest.raises(ValueError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9"):
        execute(run, Means(cluster="tcp://127.0.0.1:9"))
    assert run.status().state == "failed"


def test_a_scheduler_that_is_gone_fails_the_run_with_a_sentence_and_it_resumes_here(
    new_run: NewRun, cluster: Cluster
) -> None:
    run = new_run(seconds=0.8, seeds=3)
    raised: list[Exception] = []

    def audit() -> None:
        try:
            execute(run, cluster.means)
        except ValueError as problem:
            raised.append(problem)

    thread = threading.Thread(target=audit)
    thread.start()
    wait_until(lambda: any(cell.state == "done" for cell in read_progress(run.folder).cells))
    cluster.scheduler.kill()
    thread.join(timeout=20)
    assert run.status().state == "failed"
    assert run.status().message.startswith("The scheduler of the cluster is gone; what was finished is kept")
    assert [str(problem) for problem in raised] == [run.status().message]
    kept = {path.name: path.read_bytes() for path in run.cells.glob("*.json")}
    assert 1 <= len(kept) < 6
    assert execute(run, HERE).state == "done"
    assert kept.items() <= {path.name: path.read_bytes() for path in run.cells.glob("*.json")}.items()
    assert numbers(run) == undisturbed(run)

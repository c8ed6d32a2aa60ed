"""Work on a run from the command line: to its end, or to a sentence that says how to go on."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import time

from diffoci.commands.access import note
from diffoci.commands.run_table import result_text, shown_progress
from diffoci.runs.launch import spawn
from diffoci.runs.memory import check_memory
from diffoci.runs.queue import enqueue, goes_on, standing, withdraw
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run, Status
from diffoci.runs.worker import ending_when_cancelled

_EVERY = 0.5  # seconds between two looks at the queue


def add_means(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what to compute with."""
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes (default: one for each core)")
    parser.add_argument("--cluster", metavar="tcp://HOST:PORT", help="compute on the workers of a Dask scheduler")
    parser.add_argument("--json", action="store_true", help="print result.json")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def means_of(arguments: argparse.Namespace) -> Means:
    return Means(arguments.jobs, arguments.cluster)


def go_on(run: Run, means: Means) -> Status:
    """Run or resume; Ctrl-C leaves a run that can be resumed and says how.

    A run that is cancelled where it cannot listen ends this process.
    """
    lock = run.lock()  # before the request to stop is taken back: it may be meant for whoever runs it now
    try:
        note("started", "audit", run.id)
    except OSError:
        lock.close()
        raise
    run.uncancel()
    run.record("running")
    try:
        with ending_when_cancelled(run), shown_progress(run):
            return execute(run, means, lock=lock)
    except KeyboardInterrupt:
        raise _stopped(resume_command(run)) from None


def go_on_apart(run: Run, means: Means) -> Status:
    """Run or resume one audit of a sweep in a process of its own, which can be cancelled wherever it is."""
    note("started", "audit", run.id)
    process = spawn(Run.open(run.folder.resolve()), jobs=means.jobs, cluster=means.cluster, detached=False)
    try:
        with shown_progress(run):
            process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)  # whoever stops this process alone means that one, too
        process.wait()
        raise _stopped("the same command") from None
    return run.status()


def go_on_in_turn(run: Run) -> Status:
    """Wait in the queue of this machine, then for the run; Ctrl-C takes it out again, wherever it stands."""
    try:
        check_memory(run.study, run.spec, run.study.load(run.spec))  # told now, and not when its turn comes
        note("started", "audit", run.id)
        enqueue(run, who=f"user {os.getuid()}")  # from here on a thread of this process sees to whose turn it is
        with shown_progress(run):
            while goes_on(run):
                time.sleep(_EVERY)
    except KeyboardInterrupt:
        withdraw(run)
        raise _stopped(resume_command(run)) from None
    return standing(run)


def _stopped(how: str) -> SystemExit:
    print(f"Stopped; what is finished is kept. Resume with: {how}", file=sys.stderr)
    return SystemExit(130)


def resume_command(run: Run) -> str:
    """The line that continues a run."""
    return f"python -m diffoci runs resume {shlex.quote(str(run.folder))}"


def show_result(run: Run, status: Status, *, as_json: bool) -> None:
    """Print a result, or raise with the sentence that says why there is none."""
    if status.state == "cancelled":
        raise ValueError(f"The run was cancelled; what is finished is kept. Resume with: {resume_command(run)}")
    if status.state != "done":
        raise ValueError(f"The run {status.state}: {status.message}")
    text = result_text(run)  # which reads it: what cannot be read is not printed either
    print(run.result_file.read_text().rstrip() if as_json else text)

"""Run an audit from the command line: to its end, or to a sentence that says how to go on."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys

from diffoci.commands.run_table import result_table, shown_progress
from diffoci.runs.job import ENGINE
from diffoci.runs.launch import spawn
from diffoci.runs.runner import Means, run_audit
from diffoci.runs.store import Run, Status
from diffoci.runs.worker import ending_when_cancelled


def add_means(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what to compute with."""
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes (default: one a core)")
    parser.add_argument("--cluster", metavar="tcp://HOST:PORT", help="compute on the workers of a Dask scheduler")
    parser.add_argument("--json", action="store_true", help="print result.json")
    parser.add_argument("--engine", default=ENGINE, help=argparse.SUPPRESS)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def means_of(arguments: argparse.Namespace) -> Means:
    return Means(arguments.jobs, arguments.cluster, arguments.engine)


def go_on(run: Run, means: Means) -> Status:
    """Run or resume; Ctrl-C leaves a run that can be resumed and says how.

    A run that is cancelled where it cannot listen ends this process.
    """
    lock = run.lock()  # before the request to stop is taken back: it may be meant for whoever runs it now
    run.uncancel()
    run.record("running")
    try:
        with ending_when_cancelled(run), shown_progress(run):
            return run_audit(run, means, lock=lock)
    except KeyboardInterrupt:
        raise _stopped(resume_command(run)) from None


def go_on_apart(run: Run, means: Means) -> Status:
    """Run or resume one audit of a sweep in a process of its own, which can be cancelled wherever it is."""
    process = spawn(
        Run.open(run.folder.resolve()), jobs=means.jobs, cluster=means.cluster, engine=means.engine, detached=False
    )
    try:
        with shown_progress(run):
            process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)  # whoever stops this process alone means that one, too
        process.wait()
        raise _stopped("the same command") from None
    return run.status()


def _stopped(how: str) -> SystemExit:
    print(f"Stopped; what is finished is kept. Resume with: {how}", file=sys.stderr)
    return SystemExit(130)


def resume_command(run: Run) -> str:
    """The line that continues a run."""
    return f"python -m diffoci runs resume {shlex.quote(str(run.folder))}"


def show_result(run: Run, status: Status, *, as_json: bool) -> None:
    """Print a result, or raise with the sentence that says why there is none."""
    if status.state == "cancelled":
        raise ValueError(f"The audit was cancelled; what is finished is kept. Resume with: {resume_command(run)}")
    if status.state != "done":
        raise ValueError(f"The audit {status.state}: {status.message}")
    result = run.result()
    print(json.dumps(result, ensure_ascii=False, indent=1) if as_json else result_table(result))

"""``python -m diffoci.runs.worker DIR``: the process that works on one run."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from diffoci.runs.lock import RunLock
from diffoci.runs.store import Run

CANCELLED = 3  # exit code
_MODEST = 10  # of 19: alone on a machine it changes nothing
_PATIENCE = 1.0  # seconds for a run to stop by itself


def main(argv: Sequence[str] | None = None) -> int:
    """Work on the run of a directory; exit code 0 when done, 1 failed, 2 not possible, 3 cancelled, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="diffoci.runs.worker", description="Work on a run directory.")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--jobs", type=int, help="processes (default: one for each core)")
    parser.add_argument("--cluster", metavar="tcp://HOST:PORT", help="Dask scheduler")
    parser.add_argument("--lock", type=int, help=argparse.SUPPRESS)  # descriptor handed down by `start`
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # an orderly stop takes the pool along
    try:
        lock = None if arguments.lock is None else RunLock(arguments.lock)
        run = Run.open(arguments.folder)
        with ending_when_cancelled(run, patience=0.0):
            from diffoci.runs.runner import Means, execute  # takes a moment
        with ending_when_cancelled(run):
            status = execute(run, Means(arguments.jobs, arguments.cluster), lock=lock)
    except (ValueError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return {"done": 0, "cancelled": CANCELLED}.get(status.state, 1)


@contextlib.contextmanager
def ending_when_cancelled(run: Run, *, patience: float = _PATIENCE) -> Iterator[None]:
    """End this process where the run is cancelled in a place that cannot listen (a download, a long fit).

    Nothing is lost: files are whole or absent, and a cancelled run with no process is seen as cancelled.
    """
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            if run.is_cancelled() and not over.wait(patience):
                print("Cancelled in the middle of a part; resuming repeats that part.", file=sys.stderr, flush=True)
                os._exit(CANCELLED)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def be_modest() -> None:
    """Let people who look at pages come first: lower the priority of this process and of its pool."""
    os.nice(_MODEST)
    if os.getsid(0) == os.getpid():  # Linux shares out cores among sessions first, and this is one of its own
        with contextlib.suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(_MODEST))


if __name__ == "__main__":
    be_modest()
    sys.exit(main())

"""Start a run in a process of its own, which outlives the page or shell that asked for it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from diffoci.runs.files import said_in_words
from diffoci.runs.store import Run


def start(run_dir: Path, *, jobs: int | None = None) -> int:
    """Start or resume a run in the background and return its process number.

    The lock is taken here and handed down, so that two tabs starting the same run cannot both succeed and a
    worker that dies before its first line is seen as interrupted.

    Raises
    ------
    AlreadyRunning
        If a live process runs it already.
    """
    process = spawn(Run.open(run_dir.resolve()), jobs=jobs)
    threading.Thread(target=process.wait, daemon=True).start()  # leaves no zombie behind in a server
    return process.pid


def spawn(
    run: Run, *, jobs: int | None = None, cluster: str | None = None, detached: bool = True
) -> subprocess.Popen[bytes]:
    """Start or resume a run in a process of its own; one that is not `detached` hears Ctrl-C, too."""
    given = {"--jobs": jobs, "--cluster": cluster}
    with said_in_words(run.log_file), run.lock() as lock, run.log_file.open("ab") as log:
        run.uncancel()
        run.record("running")
        command = [sys.executable, "-m", "diffoci.runs.worker", str(run.folder), "--lock", str(lock.descriptor)]
        for option, value in given.items():
            command += [option, str(value)] if value is not None else []
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=detached,
            pass_fds=(lock.descriptor,),
        )

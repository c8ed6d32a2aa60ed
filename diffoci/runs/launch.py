"""Start a run in a process of its own, which outlives the page or shell that asked for it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from diffoci.runs.files import said_in_words
from diffoci.runs.store import Run


def start(run_dir: Path, *, jobs: int | None = None, engine: str | None = None) -> int:
    """Start or resume a run in the background and return its process number.

    The lock is taken here and handed down, so that two tabs starting the same run cannot both succeed and a
    worker that dies before its first line is seen as interrupted.

    Raises
    ------
    AlreadyRunning
        If a live process runs it already.
    """
    run = Run.open(run_dir.resolve())
    with said_in_words(run.log_file), run.lock() as lock, run.log_file.open("ab") as log:
        run.uncancel()
        run.record("running")
        command = [sys.executable, "-m", "diffoci.runs.worker", str(run.folder), "--lock", str(lock.descriptor)]
        command += ["--jobs", str(jobs)] if jobs is not None else []
        command += ["--engine", engine] if engine is not None else []
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=(lock.descriptor,),
        )
    threading.Thread(target=process.wait, daemon=True).start()  # leaves no zombie behind in a server
    return process.pid

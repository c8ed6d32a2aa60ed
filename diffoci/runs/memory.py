"""Memory: what there is, what was promised to others, and how many processes fit side by side."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import psutil

from diffoci.runs.run_files import PlanFile, read_file
from diffoci.runs.store import now_running, runs_root
from diffoci.runs.study import AnyStudy, Data, Spec

_SPARE = 0.10
_SECONDS_TO_GROW = 30.0  # until the processes of a run have read the data and loaded what they compute with
_CGROUP = Path("/sys/fs/cgroup")


def bytes_free() -> float:
    """Return the memory that can be used: the machine's, or less where a container allows less."""
    free = float(psutil.virtual_memory().available)
    try:
        most = (_CGROUP / "memory.max").read_text().strip()
        used = float((_CGROUP / "memory.current").read_text())
        reclaimable = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        return free if most == "max" else min(free, float(most) - used + float(reclaimable.get("inactive_file", 0)))
    except (OSError, ValueError):
        return free


def bytes_promised(*, but: Path | None = None) -> float:
    """Return what runs that began a moment ago will take, other than the one in `but`: it is not used yet."""
    promised = 0.0
    for identifier in now_running():
        plan = runs_root() / identifier / "plan.json"
        with contextlib.suppress(OSError, ValueError):  # it ends, or is read while it is written
            age = time.time() - plan.stat().st_mtime  # below 0 where the clock was set back
            if plan.parent != but and 0 <= age < _SECONDS_TO_GROW:
                promised += read_file(plan, PlanFile).memory
    return promised


def jobs_that_fit(each: float, jobs: int, *, folder: Path | None = None) -> int:
    """Return how many of `jobs` processes of so many bytes have room; where not even one has, refuse with the reason.

    `folder` is that of the run itself.

    Raises
    ------
    ValueError
        With a sentence that says how much is needed, how much there is and what to do.
    """
    free = (bytes_free() - bytes_promised(but=folder)) * (1 - _SPARE)
    if each > free:
        raise ValueError(
            f"It needs about {each / 1e9:.1f} GB of memory and {max(free, 0) / 1e9:.1f} GB are free: leave out columns "
            "with many levels, use fewer rows, or wait until others are done."
        )
    return max(1, min(jobs, int(free // each)))


def check_memory(study: AnyStudy, spec: Spec, data: Data, *, folder: Path | None = None) -> None:
    """Refuse, before it begins, a run of which not even one process has room; the reason is a sentence."""
    jobs_that_fit(study.bytes_needed(spec, data), 1, folder=folder)

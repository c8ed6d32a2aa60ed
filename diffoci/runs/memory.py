"""Memory: what an audit will need, what there is, and how many processes fit side by side."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from diffoci.audit.presets import STANDARD
from diffoci.data.dataset import Dataset
from diffoci.data.encoding import MOST_INDICATORS
from diffoci.runs.files import read_json
from diffoci.runs.store import now_running, runs_root

# A process with torch, scikit-learn and the baselines loaded, and how many bytes the hungriest part holds for each
# number of the coded rows; workers of a Bank audit (41,188 rows) were seen at 755 MB, for which this says 0.8 GB.
_PROCESS = 520e6
_STANDARD_COPIES = 40.0  # bytes for each number: one of 4, three of 8 while a linear method fits, and what probes take
_INPUT_COPIES = 14.0
_SPARE = 0.10
_SECONDS_TO_GROW = 30.0  # until the processes of an audit have read the data and loaded what they compute with
_CGROUP = Path("/sys/fs/cgroup")


def bytes_needed(dataset: Dataset, settings: Mapping[str, Any] = STANDARD) -> float:
    """Return the memory one process needs at its peak for one part of an audit of these data with these settings."""
    standard = inputs = 0
    pieces = int(settings.get("pieces", 0))
    for column in dataset.columns:
        levels = 1 if column.kind == "number" else len(dataset.features[column.name].cat.categories)
        nominal = column.kind == "nominal"
        few = nominal and levels <= MOST_INDICATORS
        inputs += (levels if nominal else 1) + (0 if few else pieces)
        standard += levels if few else 1
    rows = len(dataset.features)
    frame = float(dataset.features.memory_usage(deep=False).sum())
    return _PROCESS + frame + rows * (standard * _STANDARD_COPIES + inputs * _INPUT_COPIES)


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
    """Return what audits that began a moment ago will take, other than the one in `but`: it is not used yet."""
    promised = 0.0
    for identifier in now_running():
        plan = runs_root() / identifier / "plan.json"
        with contextlib.suppress(OSError, ValueError, TypeError):  # it ends, or is read while it is written
            age = time.time() - plan.stat().st_mtime  # below 0 where the clock was set back
            if plan.parent != but and 0 <= age < _SECONDS_TO_GROW:
                promised += float(read_json(plan).get("memory") or 0.0)
    return promised


def jobs_that_fit(each: float, jobs: int, *, folder: Path | None = None) -> int:
    """Return how many of `jobs` processes of so many bytes have room; where not even one has, refuse with the reason.

    `folder` is that of the audit itself.

    Raises
    ------
    ValueError
        With a sentence that says how much is needed, how much there is and what to do.
    """
    free = (bytes_free() - bytes_promised(but=folder)) * (1 - _SPARE)
    if each > free:
        raise ValueError(
            f"This audit needs about {each / 1e9:.1f} GB of memory and {max(free, 0) / 1e9:.1f} GB are free: leave out "
            "columns with many levels, use fewer rows, or wait until other audits are done."
        )
    return max(1, min(jobs, int(free // each)))

"""Where the seconds of an audit go: ``make measure WHAT=profile``, or ``python -m tests.measure.profile DATA [ROWS]``.

One process does one repetition of everything, watched by Python's own profiler (which costs a tenth), so that parts can
be told apart. Seconds are those of the processor, which other work on the machine hardly changes.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run

# A part, and the functions whose time it is: the end of a file's path, and a name. None contains another's.
PARTS: dict[str, tuple[tuple[str, str], ...]] = {
    "load": (("audit/study.py", "load"),),
    "split and code": (("measuring/prepared.py", "of"),),
    "train: networks": (("learning/together.py", "train_together"),),
    "train: weights of features": (("measuring/features.py", "train_weights"),),
    "train: linear methods": (("methods/erasers.py", "_erase"), ("methods/erasers.py", "_remove_correlation")),
    "probe: logistic": (("audit/probes.py", "_fit_logistic"),),
    "probe: network": (("audit/probes.py", "_fit_network"),),
    "probe: trees": (("audit/probes.py", "_fit_boosting"),),
    "coefficients of representations": (("measuring/measure.py", "_coefficient"),),
    "coefficients of single columns": (("measuring/features.py", "exact_views"),),
    "put together": (("audit/_assemble.py", "assemble"),),
}


def seconds_to_start() -> float:
    """What a process takes until it could compute a cell."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import diffoci.audit.cells"], check=True)
    return time.perf_counter() - began


def profiled(data: str, rows: int | None, preset: str) -> tuple[float, pstats.Stats]:
    """All seconds of an audit with one repetition, and the profiler's table."""
    options: dict[str, Any] = {} if rows is None else {"rows": rows}
    spec = make_spec(data, sensitive=["sex"], preset=preset, options=options, twin=rows is not None)
    watched = cProfile.Profile(time.process_time)
    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(AUDIT, replace(spec, seeds=spec.seeds[:1]), folder=Path(folder) / "run")
        began = time.process_time()
        watched.runcall(execute, run, Means(jobs=1))
        return time.process_time() - began, pstats.Stats(watched)


def main() -> None:
    """Print the table."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("data", nargs="?", default="acs-income")
    reading.add_argument("rows", nargs="?", type=int, help="of the simulated twin; the real data without")
    reading.add_argument("--preset", default="quick")
    asked = reading.parse_args()
    rows = 22_000 if asked.data == "acs-income" and asked.rows is None else asked.rows
    print(f"start {seconds_to_start():.1f} s")
    whole, table = profiled(asked.data, rows, asked.preset)
    left = whole
    for part, functions in PARTS.items():
        found = [(called, cumulative) for (file, _, name), (called, _, _, cumulative, _) in vars(table)["stats"].items()
                 for end, wanted in functions if file.endswith(end) and name == wanted]  # fmt: skip
        taken = sum(cumulative for _, cumulative in found)
        left -= taken
        print(f"{part:34} {taken:7.1f} s  {100 * taken / whole:4.0f} %  {sum(count for count, _ in found):4} calls")
    print(f"{'the rest':34} {left:7.1f} s  {100 * left / whole:4.0f} %")
    print(f"{'everything, one repetition':34} {whole:7.1f} s")


if __name__ == "__main__":
    main()

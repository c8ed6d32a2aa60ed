"""The memory that cells of an audit take at their peak, each in a process of its own, beside what is foreseen."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

SHORT = {"max_epochs": 2, "patience": 2}
# The data, their rows, the method, and what differs from the standard preset.
CASES: Mapping[str, tuple[str, int, str, dict[str, Any]]] = {
    "small data": ("truth", 1000, "standard", {}),
    "small data, dF3": ("truth", 1000, "dF3", {}),
    "100,000 rows": ("truth", 100_000, "standard", {}),
    "100,000 rows, all for probes": ("truth", 100_000, "standard", {"probe_rows": None}),
    "100,000 rows, LEACE": ("truth", 100_000, "leace", {}),
    "10,000 rows, single columns": ("truth", 10_000, "exact", {"exact_rows": 10_000, "permutations": 199}),
    "30,000 rows, single columns": ("truth", 30_000, "exact", {"exact_rows": 30_000}),
    "100,000 rows, single columns": ("truth", 100_000, "exact", {"exact_rows": 100_000}),
    "10,000 rows of ACS, single columns": ("acs-income", 10_000, "exact", {"exact_rows": 10_000}),
    "20,000 rows of ACS, single columns": ("acs-income", 20_000, "exact", {"exact_rows": 20_000}),
    "30,000 rows of ACS, single columns": ("acs-income", 30_000, "exact", {"exact_rows": 30_000}),
    "22,000 rows of ACS": ("acs-income", 22_000, "standard", {}),
    "22,000 rows of ACS, dF3": ("acs-income", 22_000, "dF3", {}),
    "22,000 rows of ACS, LEACE": ("acs-income", 22_000, "leace", {}),
    "100,000 rows of ACS, dF3": ("acs-income", 100_000, "dF3", {}),
    "50,000 rows, 200 pieces": ("truth", 50_000, "dF3", {"pieces": 200}),
    "layers of 2,000": ("truth", 5000, "dF3", {"network": {"hidden": (2000, 2000)}}),
    "layers of 4,096": ("truth", 5000, "dF3", {"network": {"hidden": (4096, 4096, 4096)}}),
    "adversary of 2,000": ("truth", 5000, "adversary", {"adversary": {"hidden": (2000, 2000)}}),
    "probe of 2,000": ("truth", 5000, "standard", {"probe": {"hidden": (2000, 2000)}}),
    "probe of 4,096": ("truth", 5000, "standard", {"probe": {"hidden": (4096, 4096, 4096)}}),
    "batches of 20,000, layers of 1,000": (
        "truth", 50_000, "dF3", {"network": {"hidden": (1000, 1000), "batch_size": 20_000, "least_batches": 1}}
    ),
    "50,000 rows, 1,000 learned features": ("truth", 50_000, "dF3", {"network": {"width": 1000}}),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.memory", description=__doc__)
    parser.add_argument("case", nargs="*", help="some of: " + "; ".join(CASES))
    parser.add_argument("--here", action="store_true", help="in this process, and print bytes")
    arguments = parser.parse_args()
    if arguments.here:
        print(*_measured(*CASES[arguments.case[0]]))
        return
    print(f"{'':38}{'foreseen':>10}{'taken':>10}{'share':>8}")
    for name in arguments.case or CASES:
        line = subprocess.run(
            [sys.executable, "-m", "tests.measure.memory", name, "--here"], check=True, capture_output=True, text=True
        ).stdout
        foreseen, taken = map(float, line.split())
        print(f"{name:38}{foreseen / 1e6:7.0f} MB{taken / 1e6:7.0f} MB{taken / foreseen:8.0%}", flush=True)


def _measured(data: str, rows: int, method: str, changes: dict[str, Any]) -> tuple[float, float]:
    """Compute one cell; return the bytes foreseen for it and those taken at the peak."""
    from diffoci.audit.make_spec import make_spec
    from diffoci.audit.study import AUDIT
    from diffoci.runs.study import Watch

    settings: dict[str, Any] = {group: dict(SHORT) for group in ("network", "penalised", "adversary", "probe")}
    for name, value in changes.items():
        settings[name] = {**settings[name], **value} if name in settings else value
    settings = {"curve": (), "null_draws": 100, "permutations": 1, **settings}
    methods = ["standard" if method == "exact" else method]
    spec = make_spec(data, preset="standard", methods=methods, seeds=1, twin=data != "truth", options={"rows": rows},
                     settings=settings, device="cpu")  # fmt: skip
    dataset = AUDIT.load(spec)
    cell = next(cell for cell in AUDIT.plan(spec, dataset) if cell.method == method)
    AUDIT.run_cell(spec, dataset, cell, Watch())
    return AUDIT.bytes_needed(spec, dataset), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()

"""What the README says was reached: ``python -m tests.measure.must_reach FOLDER [NAME …]``.

Audits with seeds that no default was chosen with; figures are of test rows. The preset is standard, for Bank (41,188
rows) quick, with the trade-off curve all the same. FOLDER keeps the runs, so that a stopped command goes on. Needs
DIFFOCI_DATA.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from diffoci.audit.make_spec import make_spec
from diffoci.audit.presets import STANDARD
from diffoci.audit.result import AuditResult, Mean
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run

OURS = ("dF2", "dF3", "dF3+penalty")
METHODS = ("standard", *OURS, "adversary")
FIRST_SEED = 200
# Name: source, attribute, options, number of splits, whether with the trade-off curve.
AUDITS: dict[str, tuple[str, str, dict[str, Any], int, bool]] = {
    "student": ("student", "sex", {}, 20, True),
    "acs-income": ("acs-income", "sex", {"state": "AL", "year": 2018}, 20, False),
    "acs-income-curve": ("acs-income", "sex", {"state": "AL", "year": 2018}, 6, True),
    "bank-marital": ("bank", "marital", {"duration": True}, 3, False),
    "bank-married": ("bank", "married", {"duration": True}, 3, True),
}


def spec_of(name: str) -> AuditSpec:
    """The audit of that name; the weights of single features are not asked here, so they are cut short."""
    source, attribute, options, splits, curve = AUDITS[name]
    cut: dict[str, Any] = {"vec_rows": 500, "vec": {"max_epochs": 1}, "exact_rows": 500}
    cut["curve"] = STANDARD["curve"] if curve else ()
    preset = "quick" if source == "bank" else "standard"
    spec = make_spec(source, sensitive=[attribute], methods=METHODS, options=options, settings=cut, preset=preset)
    return replace(spec, seeds=tuple(range(FIRST_SEED, FIRST_SEED + splits)))


def told(found: Mean, scale: float, digits: int) -> str:
    """A mean with its interval."""
    mean, low, high = (scale * (value or 0.0) for value in (found.mean, found.low, found.high))
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def table(result: AuditResult) -> list[str]:
    """One line for every method, then one for every point of the trade-off curve."""
    lines = [f"{'':14} {'y accuracy, %':22} {'attribute, AUC':22} verdict"]
    attribute = result.attributes[0]
    for method in result.methods:
        seen = method.leakage.by_attribute[attribute]["representation"]
        accuracy = told(method.y.accuracy, 100, 1)
        lines.append(f"{method.name:14} {accuracy:22} {told(seen.auc, 1, 3):22} {seen.verdict}")
    for name, points in result.curve.items():
        for point in points:
            auc = point.leakage.by_attribute[attribute]["representation"].auc
            y = told(point.y.accuracy, 100, 1)
            lines.append(f"  {name:12} weight {point.weight:<5g} y {y}, AUC {told(auc, 1, 3)}")
    return lines


def main() -> None:
    """Run the audits and print their tables."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("folder", type=Path)
    reading.add_argument("names", nargs="*", default=list(AUDITS))
    asked = reading.parse_args()
    for name in asked.names:
        folder = asked.folder / name
        run = Run.open(folder) if (folder / "spec.json").exists() else Run.create(AUDIT, spec_of(name), folder=folder)
        execute(run, Means(jobs=2))
        print("\n".join([name, *table(run.result())]), end="\n\n", flush=True)


if __name__ == "__main__":
    main()

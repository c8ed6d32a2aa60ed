"""``python -m tests.measure.chance [METHOD] [--audits N]``: how often an audit finds what is not there.

395 people whose group nothing tells are dealt into ten test folds; the audit's three probes, as in the quick preset,
guess it from one random column, or from what METHOD makes of the students' twin with sex shuffled. Printed are the 99 %
quantile of the strongest probe's mean AUC, beside the limits that shuffled labels give: of one learned feature, and
without that knowledge.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.measuring.guessing import guess
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS
from diffoci.audit.presets import QUICK
from diffoci.audit.splitting import FOLDS, taught_by_each_other
from diffoci.audit.verdicts import SplitScores, aucs, chance
from diffoci.data.dataset import Dataset
from diffoci.data.sources import load
from diffoci.runs.study import Watch


def shuffled_students(seed: int) -> Dataset:
    """The students' twin with sex dealt out anew."""
    students = load("student", sensitive=["sex"], twin=True)
    order = np.random.default_rng(seed).permutation(len(students))
    return replace(students, sensitive=students.sensitive.iloc[order].reset_index(drop=True))


def one_audit(seed: int, method: str | None) -> tuple[float, float, float]:
    """The mean AUC, and its upper limits with and without knowing that there is one learned feature."""
    people, settings = shuffled_students(seed), {**QUICK, "device": "cpu"}
    how = {name: settings[name] for name in ("coding", "fractions", "pieces", "fold_rows")}
    column = np.random.default_rng([seed, 1]).normal(size=(len(people), 1)).astype(np.float32)
    tests, code = [], np.zeros(0, dtype=np.int64)
    for fold in range(FOLDS):
        ready = PreparedSplit.of(people, seed=fold, **how)
        (code,) = ready.groups.values()
        z = column if method is None else METHODS[method].build(ready, settings, fold, Watch()).z
        found = guess(z, code, ready.split, classes=2, seed=fold, network=settings["probe"], device="cpu")
        tests.append(SplitScores(ready.split.test, found.probability.astype(np.float64)))
    asked: dict[str, Any] = {"draws": 2000, "taught": taught_by_each_other(settings, len(people))}
    narrow, wide = (chance(code, tests, [0, 1], one_direction=one, **asked).high for one in (True, False))
    return float(aucs(code, tests, [0, 1]).mean()), narrow, wide


def main() -> None:
    """Print how the found AUCs lie to the limits."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("method", nargs="?", choices=list(METHODS))
    reading.add_argument("--audits", type=int, default=300)
    reading.add_argument("--first", type=int, default=0, help="number of the first audit")
    asked = reading.parse_args()
    found = pd.DataFrame(
        [one_audit(seed, asked.method) for seed in range(asked.first, asked.first + asked.audits)],
        columns=["AUC", "one feature", "any"],
    )
    area = found["AUC"]
    print(f"mean AUC {area.mean():.4f}, deviation {area.std():.4f}, 99 % quantile {area.quantile(0.99):.4f}")
    for name in ("one feature", "any"):
        above = (area > found[name]).sum()
        print(f"limit, {name}: {found[name].mean():.4f} on average, above it {above} of {len(found)}")


if __name__ == "__main__":
    main()

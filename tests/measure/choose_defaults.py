"""Where the presets' defaults come from: ``python -m tests.measure.choose_defaults [FILE]``.

Every candidate setting is trained on development problems: tasks and attributes other than those whose test figures
the README reports, with seeds from 100 on. Only scores on validation rows are kept and printed, as differences from
the standardised data's; test rows are never looked at. FILE keeps finished lines, so that a stopped run goes on.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from diffoci.audit.measuring.guessing import guess
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS, REFERENCE
from diffoci.audit.presets import PRESETS
from diffoci.data.dataset import Dataset
from diffoci.data.sources import load
from diffoci.runs.study import Watch

ALABAMA: dict[str, Any] = {"state": "AL", "year": 2017}
# Name: source, attribute, options; with "rows" the simulated twin.
PROBLEMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "income twin, sex": ("acs-income", "sex", {"rows": 8000}),
    "income twin, race": ("acs-income", "race", {"rows": 8000}),
    "employment twin, race": ("acs-employment", "race", {"rows": 8000}),
    "employment twin, marital": ("acs-employment", "marital", {"rows": 8000}),
    "employment, sex": ("acs-employment", "sex", ALABAMA),
    "public coverage, race": ("acs-public-coverage", "race", ALABAMA),
    "public coverage, marital": ("acs-public-coverage", "marital", ALABAMA),
    "mobility, sex": ("acs-mobility", "sex", ALABAMA),
    "income 2017, race": ("acs-income", "race", ALABAMA),
    "income 2017, sex": ("acs-income", "sex", ALABAMA),
    "student Portuguese, sex": ("student", "sex", {"subject": "por"}),
    "student, address": ("student", "address", {}),
    "bank, age": ("bank", "age", {"duration": True}),
    "bank, education": ("bank", "education", {"duration": True}),
}
SEEDS = (100, 101)
MOST_ROWS = 6000
# Each changes one thing of the standard preset; "pieces" is the preset's own, the rest that of its networks.
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"dropout": 0.0},
    {"dropout": 0.3},
    {"beta": 5.0},
    {"penalty_beta": 2.0},
    {"penalty_beta": 10.0},
    {"measure": "T"},
    {"measure": "T-codes"},
    {"neighbours": "all"},
    {"batch_size": 1024, "least_batches": 8},
    {"batch_size": 4096},
    {"patience": None},
    {"rows_for_sharpness": 0},
    {"width": 2},
    {"pieces": 0},
    {"least_batches": 1},
    {"weight_decay": 1e-2},
    {"max_epochs": 150, "patience": 30},
    {"small_data_epochs": 1},
)


@dataclass(frozen=True)
class Candidate:
    """A method, what differs from the preset, and the weights to try."""

    method: str
    change: dict[str, Any]
    weights: tuple[float, ...]

    def __str__(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.change.items()) or "preset"


STANDARD = Candidate(REFERENCE, {}, ())
CANDIDATES = [
    Candidate(name, change, weights)
    for name, weights in [("dF3+penalty", (0.3, 1.0)), ("dF2", (0.3, 1.0)), ("adversary", (1.0, 3.0))]
    for change in CHANGES
    if set(change) <= {"pieces", *PRESETS["standard"].settings[METHODS[name].settings]}
]


def rows_of(name: str) -> Dataset:
    """A development problem, at most MOST_ROWS of it."""
    source, attribute, options = PROBLEMS[name]
    dataset = load(source, sensitive=[attribute], twin="rows" in options, **options)
    kept = np.sort(np.random.default_rng(0).permutation(len(dataset.features))[:MOST_ROWS])
    return replace(
        dataset,
        features=dataset.features.iloc[kept].reset_index(drop=True),
        sensitive=dataset.sensitive.iloc[kept].reset_index(drop=True),
        label=dataset.label.iloc[kept].reset_index(drop=True),
    )


def held_out(z: Any, prepared: PreparedSplit, seed: int) -> tuple[float, float]:
    """How well y (accuracy) and the attribute (AUC) are predicted on validation rows by the stronger of two probes."""
    quick: dict[str, Any] = {"probes": ("logistic", "boosting"), "seed": seed}
    label = guess(z, prepared.label, prepared.split, classes=prepared.classes, **quick)
    ((attribute, code),) = prepared.groups.items()
    seen = guess(z, code, prepared.split, classes=len(prepared.levels[attribute]), **quick)
    return label.validation.accuracy, seen.validation.auc or 0.5


def try_candidate(problem: str, seed: int, candidate: Candidate) -> list[dict[str, Any]]:
    """Validation scores of one candidate with each of its weights, or of the standardised data."""
    preset = PRESETS["standard"].settings
    prepared = PreparedSplit.of(
        rows_of(problem),
        seed=seed,
        coding=preset["coding"],
        fractions=preset["fractions"],
        pieces=candidate.change.get("pieces", preset["pieces"]),
    )
    head = {"problem": problem, "seed": seed, "method": candidate.method, "setting": str(candidate)}
    if candidate.method == STANDARD.method:
        accuracy, auc = held_out(prepared.standard, prepared, seed)
        return [{**head, "weight": 0.0, "y": accuracy, "s": auc}]
    method = METHODS[candidate.method]
    assert method.curve is not None
    own = {**preset[method.settings], **{key: value for key, value in candidate.change.items() if key != "pieces"}}
    lines = []
    for weight in candidate.weights:
        settings = {**preset, method.settings: own, method.curve: (weight,), "device": "cpu"}
        made = method.build(prepared, settings, seed, Watch())
        accuracy, auc = held_out(made.z, prepared, seed)
        lines.append({**head, "weight": weight, "y": accuracy, "s": auc})
    return lines


def summary(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """Mean over problems and seeds: points of y lost against the standardised data, and the attribute's AUC."""
    frame = pd.DataFrame(lines)
    base = frame[frame.method == REFERENCE].set_index(["problem", "seed"])
    rest = frame[frame.method != REFERENCE].join(base[["y", "s"]], on=["problem", "seed"], rsuffix="_standard")
    rest["lost"] = 100 * (rest.y_standard - rest.y)
    wide = rest.groupby(["method", "setting", "weight"]).agg(lost=("lost", "mean"), s=("s", "mean"), n=("s", "size"))
    return wide.join(rest.pivot_table(index=["method", "setting", "weight"], columns="problem", values="lost"))


def main() -> None:
    """Run what is missing and print the table."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("file", nargs="?", type=Path, default=Path("choose_defaults.jsonl"))
    reading.add_argument("--jobs", type=int, default=2)
    reading.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    reading.add_argument("--methods", nargs="+", default=[one.method for one in CANDIDATES])
    reading.add_argument("--settings", nargs="+", default=[str(one) for one in CANDIDATES], metavar="CHANGE")
    asked = reading.parse_args()
    candidates = [one for one in CANDIDATES if one.method in asked.methods and str(one) in asked.settings]
    done = [json.loads(line) for line in asked.file.read_text().splitlines()] if asked.file.exists() else []
    known = {(line["problem"], line["seed"], line["method"], line["setting"]) for line in done}
    wanted = [
        delayed(try_candidate)(problem, seed, candidate)
        for problem, seed, candidate in product(asked.problems, SEEDS, [STANDARD, *candidates])
        if (problem, seed, candidate.method, str(candidate)) not in known
    ]
    for lines in Parallel(n_jobs=asked.jobs, return_as="generator_unordered")(wanted):
        done += lines
        with asked.file.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    print(summary(done).round(3).to_string())


if __name__ == "__main__":
    main()

"""Where the presets' defaults come from: ``python -m tests.choose_defaults [--jobs N] [FILE]``.

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

from diffoci.audit.cells import Watch
from diffoci.audit.material import Material
from diffoci.audit.methods import METHODS
from diffoci.audit.presets import PRESETS
from diffoci.audit.probes import guess
from diffoci.data.dataset import Dataset
from diffoci.data.sources import load

ALABAMA: dict[str, Any] = {"state": "AL", "year": 2017}
PROBLEMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "employment, sex": ("acs-employment", "sex", ALABAMA),
    "public coverage, race": ("acs-public-coverage", "race", ALABAMA),
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
    """A method, what differs from the preset, and the weights to try, under the preset's name for them."""

    method: str
    weights_named: str
    change: dict[str, Any]
    weights: tuple[float, ...]

    def __str__(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.change.items()) or "preset"


STANDARD = Candidate("standard", "", {}, ())
CANDIDATES = [
    Candidate(name, weights_named, change, weights)
    for name, weights_named, weights in [
        ("dF3+penalty", "penalties", (0.1, 0.3)),
        ("dF2", "dF2_penalties", (0.1, 0.3)),
        ("adversary", "adversary_weights", (1.0, 3.0)),
    ]
    for change in CHANGES
    if name != "adversary" or set(change) <= {"pieces", *PRESETS["standard"]["adversary"]}
]


def rows_of(name: str) -> Dataset:
    """A development problem, at most MOST_ROWS of it."""
    source, attribute, options = PROBLEMS[name]
    dataset = load(source, sensitive=[attribute], **options)
    kept = np.sort(np.random.default_rng(0).permutation(len(dataset.features))[:MOST_ROWS])
    return replace(
        dataset,
        features=dataset.features.iloc[kept].reset_index(drop=True),
        sensitive=dataset.sensitive.iloc[kept].reset_index(drop=True),
        label=dataset.label.iloc[kept].reset_index(drop=True),
    )


def held_out(z: Any, material: Material, seed: int) -> tuple[float, float]:
    """How well y (accuracy) and the attribute (AUC) are predicted on validation rows by the stronger of two probes."""
    quick: dict[str, Any] = {"probes": ("logistic", "boosting"), "seed": seed}
    label = guess(z, material.label, material.split, classes=material.classes, **quick)
    ((attribute, code),) = material.groups.items()
    seen = guess(z, code, material.split, classes=len(material.levels[attribute]), **quick)
    return label.validation.accuracy, seen.validation.auc or 0.5


def try_candidate(problem: str, seed: int, candidate: Candidate) -> list[dict[str, Any]]:
    """Validation scores of one candidate with each of its weights, or of the standardised data."""
    preset = PRESETS["standard"]
    material = Material.of(
        rows_of(problem),
        seed=seed,
        coding=preset["coding"],
        fractions=preset["fractions"],
        pieces=candidate.change.get("pieces", preset["pieces"]),
    )
    head = {"problem": problem, "seed": seed, "method": candidate.method, "setting": str(candidate)}
    if candidate.method == STANDARD.method:
        accuracy, auc = held_out(material.standard, material, seed)
        return [{**head, "weight": 0.0, "y": accuracy, "s": auc}]
    group = "adversary" if candidate.method == "adversary" else "penalised"
    own = {**preset[group], **{key: value for key, value in candidate.change.items() if key != "pieces"}}
    lines = []
    for weight in candidate.weights:
        settings = {**preset, group: own, candidate.weights_named: (weight,), "device": "cpu"}
        made = METHODS[candidate.method].build(material, settings, seed, Watch())
        accuracy, auc = held_out(made.z, material, seed)
        lines.append({**head, "weight": weight, "y": accuracy, "s": auc})
    return lines


def summary(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """Mean over problems and seeds: points of y lost against the standardised data, and the attribute's AUC."""
    frame = pd.DataFrame(lines)
    base = frame[frame.method == "standard"].set_index(["problem", "seed"])
    rest = frame[frame.method != "standard"].join(base[["y", "s"]], on=["problem", "seed"], suffixes=("", "_standard"))
    rest["lost"] = 100 * (rest.y_standard - rest.y)
    wide = rest.groupby(["method", "setting", "weight"]).agg(lost=("lost", "mean"), s=("s", "mean"), n=("s", "size"))
    return wide.join(rest.pivot_table(index=["method", "setting", "weight"], columns="problem", values="lost"))


def main() -> None:
    """Run what is missing and print the table."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("file", nargs="?", type=Path, default=Path("choose_defaults.jsonl"))
    reading.add_argument("--jobs", type=int, default=2)
    asked = reading.parse_args()
    done = [json.loads(line) for line in asked.file.read_text().splitlines()] if asked.file.exists() else []
    known = {(line["problem"], line["seed"], line["method"], line["setting"]) for line in done}
    wanted = [
        delayed(try_candidate)(problem, seed, candidate)
        for problem, seed, candidate in product(PROBLEMS, SEEDS, [STANDARD, *CANDIDATES])
        if (problem, seed, candidate.method, str(candidate)) not in known
    ]
    for lines in Parallel(n_jobs=asked.jobs, return_as="generator_unordered")(wanted):
        done += lines
        with asked.file.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    print(summary(done).round(3).to_string())


if __name__ == "__main__":
    main()

"""Trade-off curves of difFOCI against the adversary's: ``python -m tests.measure.frontier FILE [NAME …] [--splits N]``.

Every point is a mean over splits with seeds that no default was chosen with. Of logistic regression and boosted trees
the stronger is chosen on validation rows; the figures are of test rows. For each difFOCI point the adversary's AUC at
the same accuracy of y is read off its curve, between two of its points or at its nearest end; a point that predicts y
worse than all of the adversary's is not compared. FILE keeps what is done, point by point, so that a command that was
stopped, or that was given so many `--seconds`, goes on. A problem counts with the splits in which every point is done.
Needs DIFFOCI_DATA.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
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
from diffoci.audit.probes import QUICK
from diffoci.data.dataset import Dataset
from diffoci.data.sources import load
from diffoci.runs.study import Watch

FIRST_SEED = 300
RIVAL = "adversary"
WEIGHTS = {
    REFERENCE: (0.0,),
    RIVAL: (0.3, 1.0, 3.0),
    "dF2": (0.1, 0.3, 1.0, 3.0),
    "dF3+penalty": (0.3, 1.0, 3.0),
    "hsic": (0.3, 1.0, 3.0),
    "leace": (0.0,),
    "splince": (0.0,),
}
OURS = ("dF2", "dF3+penalty")
CLOSE = 0.3  # points of accuracy within which two rows predict y equally well
# Name: source, attribute, options, whether the simulated twin.
PROBLEMS: dict[str, tuple[str, str, dict[str, Any], bool]] = {
    "income 2018, sex": ("acs-income", "sex", {"state": "AL", "year": 2018}, False),
    "income 2017, sex": ("acs-income", "sex", {"state": "AL", "year": 2017}, False),
    "employment 2017, sex": ("acs-employment", "sex", {"state": "AL", "year": 2017}, False),
    "employment 2017, race": ("acs-employment", "race", {"state": "AL", "year": 2017}, False),
    "bank, marital": ("bank", "marital", {"duration": True}, False),
    "income twin, sex": ("acs-income", "sex", {"rows": 20_000}, True),
    "employment twin, sex": ("acs-employment", "sex", {"rows": 20_000}, True),
    "bank twin, marital": ("bank", "marital", {"rows": 20_000}, True),
}


@dataclass(frozen=True)
class Point:
    """One training: the problem, the split, the method and its weight."""

    problem: str
    seed: int
    method: str
    weight: float


def rows_of(name: str, most: int) -> Dataset:
    """A problem, at most so many rows of it, always the same ones."""
    source, attribute, options, twin = PROBLEMS[name]
    dataset = load(source, sensitive=[attribute], twin=twin, **options)
    kept = np.sort(np.random.default_rng(0).permutation(len(dataset.features))[:most])
    return replace(
        dataset,
        features=dataset.features.iloc[kept].reset_index(drop=True),
        sensitive=dataset.sensitive.iloc[kept].reset_index(drop=True),
        label=dataset.label.iloc[kept].reset_index(drop=True),
    )


def scores(z: Any, prepared: PreparedSplit, settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """How well y is predicted (accuracy) and the attribute guessed (AUC) on test rows, by the strongest probes."""
    asked: dict[str, Any] = {"most_rows": settings["probe_rows"], "probes": QUICK, "seed": seed}
    ((attribute, code),) = prepared.groups.items()
    label = guess(z, prepared.label, prepared.split, classes=prepared.classes, **asked)
    seen = guess(z, code, prepared.split, classes=len(prepared.levels[attribute]), **asked)
    return {"y": 100 * label.scores.accuracy, "s": seen.scores.auc, "test rows": len(prepared.split.test)}


@lru_cache(maxsize=1)
def split_of(problem: str, seed: int, preset: str, most: int) -> PreparedSplit:
    """One split of a problem; points come split by split."""
    settings = PRESETS[preset].settings
    how = {name: settings[name] for name in ("coding", "fractions", "pieces")}
    return PreparedSplit.of(rows_of(problem, most), seed=seed, **how)


def measure(point: Point, preset: str, most: int) -> dict[str, Any]:
    """The scores of one point."""
    settings = {**PRESETS[preset].settings, "device": "cpu"}
    prepared = split_of(point.problem, point.seed, preset, most)
    method = METHODS[point.method]
    own = settings if method.curve is None else {**settings, method.curve: (point.weight,)}
    z = method.build(prepared, own, point.seed, Watch()).z
    return {**vars(point), **scores(z, prepared, settings, point.seed)}


def whole(lines: list[dict[str, Any]], methods: Collection[str]) -> list[dict[str, Any]]:
    """The lines of splits of which every point is done."""
    lines = [line for line in lines if line["weight"] in WEIGHTS[line["method"]] and line["method"] in methods]
    done = pd.DataFrame(lines).groupby(["problem", "seed"]).size() == sum(len(WEIGHTS[name]) for name in methods)
    return [line for line in lines if done[line["problem"], line["seed"]]]


def at_equal_accuracy(rival: pd.DataFrame, accuracy: float) -> tuple[float, float]:
    """The rival's AUC at this accuracy of y, and by how much all of its points predict y better.

    Where the rival nowhere predicts y as well, its most accurate point stands for it, which favours it.
    """
    # Of points that are worse in both ways nothing is read off.
    best = rival.sort_values("y", ascending=False)
    best = best[best.s <= best.s.cummin()].sort_values("y")
    return float(np.interp(accuracy, best.y, best.s)), max(0.0, float(best.y.min() - accuracy))


def table(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """One row for every point: means over splits, and for others than the rival the distance to its curve."""
    means = pd.DataFrame(lines).groupby(["problem", "method", "weight"], sort=False, as_index=False)
    found = means.agg(y=("y", "mean"), s=("s", "mean"), splits=("seed", "nunique"), rows=("test rows", "first"))
    told: list[dict[str, Any]] = []
    for _, rows in found.groupby("problem", sort=False):
        standard = float(rows.y[rows.method == REFERENCE].iloc[0])
        rival = rows[rows.method == RIVAL]
        for row in rows.to_dict("records"):
            against, beyond = at_equal_accuracy(rival, row["y"])
            compared = row["method"] not in (REFERENCE, RIVAL) and beyond <= CLOSE
            told.append(
                {
                    **{name: row[name] for name in ("problem", "method", "weight", "splits", "rows", "y")},
                    "S AUC": row["s"],
                    "y lost": standard - row["y"],
                    "against the adversary": row["s"] - against if compared else np.nan,
                }
            )
    return pd.DataFrame(told)


def conclusions(found: pd.DataFrame) -> list[str]:
    """What was wanted, problem by problem: on the adversary's frontier, and one row that costs little and hides."""
    said, below = [], 0
    for problem, rows in found.groupby("problem", sort=False):
        ours = rows[rows.method.isin(OURS)]
        best = ours["against the adversary"].min()
        below += bool(best < 0)
        useful = ours[(ours["y lost"] <= 1.0) & (ours["S AUC"] <= 0.56)]
        said.append(f"{problem}: best difFOCI row {best:+.3f} (wanted at most +0.010); rows with y at most 1.0 point "
                    f"under standard data and S AUC at most 0.56: {len(useful)}")  # fmt: skip
    return [*said, f"below the adversary on {below} of {found.problem.nunique()} (wanted half)"]


def main() -> None:
    """Compute what is missing and print the table."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("file", type=Path)
    reading.add_argument("names", nargs="*", default=list(PROBLEMS))
    reading.add_argument("--methods", nargs="+", choices=list(WEIGHTS), default=list(WEIGHTS))
    reading.add_argument("--splits", type=int, default=10)
    reading.add_argument("--rows", type=int, default=20_000, help="of every problem, at most")
    reading.add_argument("--preset", default="standard")
    reading.add_argument("--jobs", type=int, default=2)
    reading.add_argument("--seconds", type=float, default=np.inf, help="after which no further point is begun")
    asked = reading.parse_args()
    done = [json.loads(line) for line in asked.file.read_text().splitlines()] if asked.file.exists() else []
    known = {Point(*(line[key] for key in Point.__dataclass_fields__)) for line in done}
    end = time.monotonic() + asked.seconds

    def wanted() -> Iterator[Any]:
        for seed, problem in product(range(FIRST_SEED, FIRST_SEED + asked.splits), asked.names):
            for point in (Point(problem, seed, name, weight) for name in asked.methods for weight in WEIGHTS[name]):
                if point not in known and time.monotonic() < end:
                    yield delayed(measure)(point, asked.preset, asked.rows)

    for line in Parallel(n_jobs=asked.jobs, return_as="generator_unordered", pre_dispatch=asked.jobs)(wanted()):
        done.append(line)
        with asked.file.open("a") as file:
            file.write(json.dumps(line) + "\n")
    found = table(whole([line for line in done if line["problem"] in asked.names], asked.methods))
    print(found.round({"y": 2, "S AUC": 3, "y lost": 2, "against the adversary": 3}).to_string(index=False))
    print("\n".join(conclusions(found)))


if __name__ == "__main__":
    import_module("tests.measure.frontier").main()  # under this name other processes find what they keep

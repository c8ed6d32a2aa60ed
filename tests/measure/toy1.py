"""Toy 1 over many draws: is vec-dF1 better than what finds the same columns?  ``python -m tests.measure.toy1 FILE``.

vec-dF1, FOCI and the F tests all find the three columns in most draws, so what is left to gain are the weights. The
200 test rows of a draw say little about that: a few with extreme y decide their error. So every selector is also judged
on 20,000 further rows of the same draw, which nothing is trained on or chosen by. Draws have seeds that no setting was
tried on. FILE keeps what is done, so that a stopped command goes on.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from diffoci.audit.means import mean_over_seeds
from diffoci.labs.feature_selection.downstream import test_scores
from diffoci.labs.feature_selection.problem import Task
from diffoci.labs.feature_selection.problems import PROBLEMS
from diffoci.labs.feature_selection.selectors import Asked, selector_named
from diffoci.labs.feature_selection.spec import BETA, reported_seeds
from diffoci.labs.feature_selection.training import VEC
from diffoci.runs.study import Watch

METHODS = ("FPR", "FDR", "FWE", "FOCI", VEC)
FURTHER = 20_000
KINDS = {"test": "200 test rows", "further": f"{FURTHER:,} further rows"}
TOGETHER = 2  # draws between two writings of FILE


def drawn(seed: int) -> Task:
    """A draw of toy 1, with further rows that belong to none of its parts."""
    problem = PROBLEMS["toy1"]
    knobs = problem.filled_in({})
    task = problem.draw(seed=seed, **knobs)
    rows = np.random.default_rng([seed, 0]).normal(0.0, knobs["sigma_x"], task.x.shape)  # as they were drawn
    training = rows[task.split.train]
    coded = (rows - training.mean(axis=0)) / training.std(axis=0)
    if not np.array_equal(coded.astype(np.float32), task.x):
        raise ValueError("Toy 1 is drawn otherwise now; further rows must be drawn alike.")
    rng = np.random.default_rng([seed, 2])
    x = rng.normal(0.0, knobs["sigma_x"], (FURTHER, task.x.shape[1]))
    y = np.sin(x[:, 0]) + 2 * np.sin(x[:, 1]) + 3 * np.sin(x[:, 2]) + rng.normal(0.0, knobs["sigma_e"], FURTHER)
    further = ((x - training.mean(axis=0)) / training.std(axis=0)).astype(np.float32)
    return replace(task, x=np.vstack([task.x, further]), y=np.concatenate([task.y, y]))


def errors(seed: int) -> dict[str, dict[str, float]]:
    """The error after every selector on one draw, on its test rows and on further ones."""
    import torch

    torch.set_num_threads(1)
    task = drawn(seed)
    rows = np.arange(len(task.y) - FURTHER, len(task.y))
    parts = {"test": task, "further": replace(task, split=replace(task.split, test=rows))}
    trainings = PROBLEMS["toy1"].trainings
    found = {}
    for name in METHODS:
        z = selector_named(name).build(Asked(task, seed, Watch(), trainings.get(name, ()), BETA)).z
        found[name] = {part: test_scores(one, z)["mse"] for part, one in parts.items()}
    return found


def main(file: Path, draws: int, jobs: int) -> None:
    done = json.loads(file.read_text()) if file.exists() else {}
    left = [seed for seed in reported_seeds(draws) if str(seed) not in done]
    with Parallel(n_jobs=jobs) as parallel:
        for k in range(0, len(left), TOGETHER):
            some = left[k : k + TOGETHER]
            done |= {str(seed): found for seed, found in zip(some, parallel(map(delayed(errors), some)), strict=True)}
            file.write_text(json.dumps(done))
    for part, words in KINDS.items():
        print(f"\n{len(done)} draws, {words}: mean squared error, 95 % interval, and less {VEC} draw by draw")
        ours = mean_over_seeds([one[VEC][part] for one in done.values()], test_share=0.0)
        for name in METHODS:
            found = mean_over_seeds([one[name][part] for one in done.values()], test_share=0.0)
            less = mean_over_seeds([one[name][part] - one[VEC][part] for one in done.values()], test_share=0.0)
            apart = "" if name == VEC else "apart" if (found.low or 0.0) > (ours.high or 0.0) else "overlap"
            said = [f"{one.mean:.4f} ({one.low:.4f} to {one.high:.4f})" for one in (found, less)]
            print(f"{name}: {' | '.join(said)} {apart}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    main(arguments.file, arguments.draws, arguments.jobs)

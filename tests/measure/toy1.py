"""Toy 1 over many draws: is vec-dF1 better than what finds the same columns?  ``python -m tests.measure.toy1 FILE``.

vec-dF1, FOCI and the F tests all find the three columns in most draws. What is left to gain are the weights, an eighth
of the error on validation rows, and errors of single draws vary by half: 200 draws tell intervals apart where ten
cannot. Draws have seeds that no setting was tried on. FILE keeps what is done, so that a stopped command goes on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from joblib import Parallel, delayed

from diffoci.audit.means import mean_over_seeds
from diffoci.labs.feature_selection.downstream import test_scores
from diffoci.labs.feature_selection.problems import PROBLEMS
from diffoci.labs.feature_selection.selectors import Asked, selector_named
from diffoci.labs.feature_selection.spec import BETA, reported_seeds
from diffoci.labs.feature_selection.training import VEC
from diffoci.runs.study import Watch

METHODS = ("full", "GUS", "SPer", "FPR", "FDR", "FWE", "KBest", "FOCI", VEC)
TOGETHER = 10  # draws between two writings of FILE


def errors(seed: int) -> dict[str, float]:
    """The test error after every selector on one draw."""
    import torch

    torch.set_num_threads(1)
    problem = PROBLEMS["toy1"]
    task = problem.draw(seed=seed, **problem.filled_in({}))
    asked = {name: Asked(task, seed, Watch(), problem.trainings.get(name, ()), BETA) for name in METHODS}
    return {name: test_scores(task, selector_named(name).build(asked[name]).z)["mse"] for name in METHODS}


def main(file: Path, draws: int, jobs: int) -> None:
    done = json.loads(file.read_text()) if file.exists() else {}
    left = [seed for seed in reported_seeds(draws) if str(seed) not in done]
    with Parallel(n_jobs=jobs) as parallel:
        for k in range(0, len(left), TOGETHER):
            some = left[k : k + TOGETHER]
            done |= {str(seed): found for seed, found in zip(some, parallel(map(delayed(errors), some)), strict=True)}
            file.write_text(json.dumps(done))
    ours = mean_over_seeds([one[VEC] for one in done.values()], test_share=0.0)
    print(f"{len(done)} draws: mean squared error, 95 % interval, and less {VEC} draw by draw")
    for name in METHODS:
        found = mean_over_seeds([one[name] for one in done.values()], test_share=0.0)
        less = mean_over_seeds([one[name] - one[VEC] for one in done.values()], test_share=0.0)
        apart = "" if name == VEC else "apart" if (found.low or 0.0) > (ours.high or 0.0) else "overlap"
        said = [f"{one.mean:.4f} ({one.low:.4f} to {one.high:.4f})" for one in (found, less)]
        print(f"{name}: {' | '.join(said)} {apart}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    main(arguments.file, arguments.draws, arguments.jobs)

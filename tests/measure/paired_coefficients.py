"""Whether the error of two models' difference in T is as wide as the difference varies, and how often chance is called.

Every case has two models that depart alike; `python -m tests.measure.paired_coefficients --draws 100 --rows 600`.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import stdtrit

from diffoci import audit_scores
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.criteria import ERROR_DEGREES
from diffoci.model_audit.judging import judge_pairs

REACH = float(stdtrit(ERROR_DEGREES, 0.975))
Drawn = tuple[Ints, Ints, dict[str, Floats]]


def even(rng: np.random.Generator, rows: int) -> Drawn:
    """Neither score has anything to do with sex; one tells much of the outcome, one little."""
    ability = rng.normal(size=rows)
    label = (rng.random(rows) < 1 / (1 + np.exp(-2 * ability))).astype(np.int64)
    return rng.integers(0, 2, rows), label, {"a": ability, "b": 0.3 * ability + rng.normal(size=rows)}


def alike(rng: np.random.Generator, rows: int) -> Drawn:
    """Both depart, each with luck of its own."""
    men = rng.integers(0, 2, rows)
    label = (rng.random(rows) < 0.3 + 0.3 * men).astype(np.int64)
    return men, label, {name: label + 0.5 * men + rng.normal(size=rows) for name in "ab"}


def rounded(rng: np.random.Generator, rows: int) -> Drawn:
    """One score is the other in twenty steps."""
    men, label, scores = alike(rng, rows)
    steps = np.quantile(scores["a"], np.linspace(0.05, 0.95, 19))
    return men, label, {"a": scores["a"], "b": np.digitize(scores["a"], steps).astype(np.float64)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--rows", type=int, default=600)
    asked = parser.parse_args()
    for case in (even, alike, rounded):
        rng, called = np.random.default_rng(0), 0
        found: dict[str, list[tuple[float, float, bool]]] = {}
        for _ in range(asked.draws):
            men, label, scores = case(rng, asked.rows)
            result = audit_scores(scores, label=label, sensitive={"sex": np.where(men, "m", "f")}, permutations=19)
            called += any(answer.startswith("departs") for answer in judge_pairs(result).criteria)
            for pair in result.paired_criteria:
                error = (pair.difference.high - pair.difference.low) / 2 / REACH
                found.setdefault(pair.criterion, []).append((pair.difference.value, error, pair.p_value < 0.05))
        for name, entries in found.items():
            value, error, beyond = np.array(entries, dtype=np.float64).T
            ratio = np.sqrt((error**2).mean()) / value.std()
            print(
                f"{case.__name__}, {name}: error {ratio:.2f} of the spread, p below 5 % in {100 * beyond.mean():.0f} %"
            )
        print(f"{case.__name__}: a model said to depart less in {called} of {asked.draws}", flush=True)


if __name__ == "__main__":
    main()

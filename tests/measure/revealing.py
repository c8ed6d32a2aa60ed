"""Leaking columns and pairs found, innocent ones named: ``python -m tests.measure.revealing [DATA SETS] [ROWS]``.

Known-truth data at the default strengths, each with a seed of its own, and as many in which nothing leaks. Then how
often a column is found whose AUC is the one that the page says would have been.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from diffoci.audit.before_training.proxies import PERMUTATIONS, before_training
from diffoci.audit.before_training.revealing import single_columns, smallest_found
from diffoci.data.truth.source import PAIR, make_truth
from diffoci.inputs import Floats, Ints

LEAKING = frozenset({("linear",), ("variance",), PAIR})
NOTHING = {"linear": 0.0, "variance": 0.0, "interaction": 0.0}
LEVELS = 12
Draw = Callable[[np.random.Generator, Ints, float], Any]


def named(seed: int, rows: int, **knobs: Any) -> frozenset[tuple[str, ...]]:
    """The columns and pairs that the Proxies page names in one generated data set."""
    traces = before_training(make_truth(rows=rows, seed=seed, **knobs).dataset).attributes["group"]
    alone = [one for one in traces.columns.values() if one.reveals()]
    return frozenset(one.columns for one in (*alone, *traces.pairs))


def shifted(rng: np.random.Generator, code: Ints, auc: float) -> Floats:
    return rng.normal(size=len(code)) + np.sqrt(2) * stats.norm.ppf(auc) * code


def categories(rng: np.random.Generator, code: Ints, auc: float) -> pd.Categorical:
    cuts = stats.norm.ppf(np.linspace(0, 1, LEVELS + 1)[1:-1])
    return pd.Categorical(np.searchsorted(cuts, shifted(rng, code, auc)).astype(str))


def spread(rng: np.random.Generator, code: Ints, auc: float) -> Floats:
    """The same mean in both groups; so much wider in one that its distance from the mean has this AUC."""

    def area(log_ratio: float) -> float:  # of |x| with the standard deviations 1 and exp(log_ratio)
        return 2 / np.pi * np.arctan(np.exp(log_ratio))

    ratio = np.exp(optimize.brentq(lambda one: area(one) - auc, 0, 20))
    return rng.normal(size=len(code)) * np.where(code == 1, ratio, 1.0)


def power(draw: Draw, code: Ints, *, columns: int, levels: int, samples: int) -> tuple[float, float]:
    """The AUC that would have been found, and in what share of samples it is, among columns that tell nothing."""
    auc, found = smallest_found(code, columns, levels=levels), 0
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(len(code), columns - 1)), columns=[f"x{k}" for k in range(columns - 1)])
        frame["asked"] = draw(rng, code, auc)
        found += single_columns(frame, pd.Series(code), permutations=PERMUTATIONS, seed=seed)[-1].reveals()
    return auc, found / samples


def main() -> None:
    """Print how many data sets had everything found, each trace found, something innocent named, and the power."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("sets", nargs="?", type=int, default=50)
    reading.add_argument("rows", nargs="?", type=int, default=4000)
    reading.add_argument("--first", type=int, default=0, help="seed of the first data set")
    asked = reading.parse_args()
    seeds = range(asked.first, asked.first + asked.sets)
    leaking = [named(seed, asked.rows) for seed in seeds]
    quiet = [named(seed, asked.rows, **NOTHING) for seed in seeds]
    print(f"{asked.sets} data sets of {asked.rows:,} rows at the default strengths, as many in which nothing leaks\n")
    print("| what | data sets |\n|---|---|")
    print(f"| every leaking column and pair found | {sum(found >= LEAKING for found in leaking)} |")
    for trace in sorted(LEAKING):
        print(f"| found: {' with '.join(trace)} | {sum(trace in found for found in leaking)} |")
    print(f"| an innocent one named | {sum(not found <= LEAKING for found in leaking)} |")
    print(f"| one named where nothing leaks | {sum(bool(found) for found in quiet)} |", flush=True)
    print_power(4 * asked.sets)


def print_power(samples: int) -> None:
    """How often the AUC that would have been found is."""
    half, fifth = np.arange(1000) % 2, (np.arange(1000) % 5 == 0).astype(np.int64)
    cases = {
        "two groups of 500, a shift": (shifted, half, 2),
        "groups of 200 and 800, a shift": (shifted, fifth, 2),
        f"two groups of 500, {LEVELS} categories": (categories, half, LEVELS),
        "two groups of 500, a spread": (spread, half, 2),
        "groups of 200 and 800, a spread": (spread, fifth, 2),
    }
    print(f"\nten columns, 1,000 rows, {samples} samples\n\n| case | AUC said to be found | found |\n|---|---|---|")
    for name, (draw, code, levels) in cases.items():
        auc, share = power(draw, code, columns=10, levels=levels, samples=samples)
        print(f"| {name} | {auc:.3f} | {100 * share:.0f} % |", flush=True)


if __name__ == "__main__":
    main()

"""Which selectors find features that matter only together, and how many false ones they keep, over known truths.

    python -m tests.measure.interactions            # 100 data sets, some twenty minutes on one core
    python -m tests.measure.interactions 10         # a trial

Each data set has 500 rows and 20 columns of standard normal numbers. In "same sign" y says whether the first two have
the same sign, with one row in ten the other way round: each of them alone is independent of y. In "product" y is their
product plus a little noise: neither is correlated with y. Bounds are held to one false feature.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectFdr, SelectFpr, SelectKBest, f_classif, f_regression, mutual_info_regression

from diffoci import FOCI, DifFOCISelector, StabilitySelection

ROWS, COLUMNS, TRUE = 500, 20, {0, 1}


def same_sign(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(ROWS) < 0.1)).astype(int)


def product(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS))
    return X, X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=ROWS)


def nothing(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=ROWS)


def selectors(score: Callable[..., Any]) -> dict[str, Any]:
    stable: dict[str, Any] = {"pairs": 25, "threshold": 0.9}
    return {
        "SelectFdr": SelectFdr(score),
        "SelectFpr": SelectFpr(score),
        "SelectKBest, 2": SelectKBest(score, k=2),
        "mutual information, best 2": SelectKBest(mutual_info_regression, k=2),
        "FOCI": FOCI(n_jobs=1),
        "FOCI with stability": StabilitySelection(FOCI(n_jobs=1), **stable),
        "FOCI with stability, no assumption": StabilitySelection(FOCI(n_jobs=1), assume="none", **stable),
        "DifFOCISelector": DifFOCISelector(**stable),
        "DifFOCISelector, no assumption": DifFOCISelector(assume="none", **stable),
    }


def main(sets: int) -> None:
    warnings.simplefilter("ignore")
    for problem, score in ((same_sign, f_classif), (product, f_regression), (nothing, f_regression)):
        true = TRUE if problem is not nothing else set()
        print(f"\n{problem.__name__}: {ROWS} rows, {COLUMNS} columns, {sets} data sets", flush=True)
        print("selector | both found | false features, mean (standard error) | most in a set | bound, mean")
        for name, selector in selectors(score).items():
            both, false, bounds = 0, [], []
            for seed in range(sets):
                fitted = clone(selector).fit(*problem(seed))
                kept = set(fitted.get_support(indices=True).tolist())
                both += true <= kept
                false.append(len(kept - true))
                bounds.append(getattr(fitted, "expected_false_", np.nan))
            found = f"{both} of {sets}" if true else "-"
            error = np.std(false) / np.sqrt(sets)
            print(
                f"{name} | {found} | {np.mean(false):.2f} ({error:.2f}) | {max(false)} | {np.mean(bounds):.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)

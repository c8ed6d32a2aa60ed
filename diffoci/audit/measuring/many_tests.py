"""p-values of many features tested at once: of thirty that tell nothing, one or two look telling at 5 %."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diffoci.coefficients import DependenceTest


def family_p_values(tests: Sequence[DependenceTest]) -> list[float | None]:
    """How often rearranged rows give any of the features a coefficient as far from chance as each feature has.

    Westfall and Young's adjustment: features are compared in standard errors of their own chance, and rows are
    rearranged alike for all of them (one seed), so that features which say the same are not paid for twice.
    """
    known = [k for k, test in enumerate(tests) if test.null is not None and test.null_standard_error]
    adjusted: list[float | None] = [None if test.p_value is None else 1.0 for test in tests]
    if not known:
        return adjusted
    # The coefficient found is one more arrangement of the rows: its chance is measured with it among them.
    every = np.array([[tests[k].statistic, *_null(tests[k])] for k in known], dtype=np.float64)
    errors = (every - every.mean(axis=1, keepdims=True)) / every.std(axis=1, keepdims=True)
    furthest = errors[:, 1:].max(axis=0)
    for k, own in zip(known, errors[:, 0], strict=True):
        adjusted[k] = float((1 + np.count_nonzero(furthest >= own - 1e-12)) / (1 + len(furthest)))
    return adjusted


def _null(test: DependenceTest) -> Sequence[float]:
    return () if test.null is None else test.null.tolist()

"""Known-truth data: draw people, and say how likely each is to be of which group and to have the outcome."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.data.truth.knobs import PAIR, Floats, Knobs

GROUPS = ("A", "B")


def draw(
    knobs: Knobs, rows: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.int64]]:
    """Features, groups and labels of so many people."""
    group = (rng.random(rows) < knobs.group_share).astype(np.int64)
    sign = 2.0 * group - 1.0
    a, other = rng.standard_normal((2, rows))
    rho = sign * knobs.interaction
    columns = {
        "linear": sign * knobs.linear / 2 + rng.standard_normal(rows),
        "variance": np.exp(sign * knobs.variance / 2) * rng.standard_normal(rows),
        PAIR[0]: a,
        PAIR[1]: rho * a + np.sqrt(1 - rho**2) * other,
    }
    for name in (*knobs.useful_names, *(f"irrelevant_{k + 1}" for k in range(knobs.irrelevant))):
        columns[name] = rng.standard_normal(rows)
    features = pd.DataFrame(columns)
    score = knobs.signal(features) + sign * knobs.direct / 2 + knobs.noise * rng.logistic(size=rows)
    return features, group, (score > 0).astype(np.int64)


def log_ratios(features: pd.DataFrame, knobs: Knobs) -> dict[tuple[str, ...], Floats]:
    """Of every block of columns, the logarithm of how much likelier it is where S = 1; blocks are independent."""
    linear, spread, a, b = (features[name].to_numpy() for name in ("linear", "variance", *PAIR))
    narrow, wide = np.exp(-knobs.variance), np.exp(knobs.variance)  # sd**2 is exp(-+variance)
    rho = knobs.interaction
    return {
        ("linear",): knobs.linear * linear,
        ("variance",): -knobs.variance + spread**2 * (1 / narrow - 1 / wide) / 2,
        # Both correlations have the same determinant; only the cross term differs in sign.
        PAIR: 2 * rho * a * b / (1 - rho**2),
    }


def outcome_of_group(features: pd.DataFrame, knobs: Knobs) -> tuple[Floats, Floats]:
    """P(y = 1 | features, S) for S = 0 and S = 1."""
    from scipy.special import expit  # slow to import, and sources are listed without it

    signal = knobs.signal(features)
    if_zero, if_one = (expit((signal + sign * knobs.direct / 2) / knobs.noise) for sign in (-1, 1))
    return if_zero, if_one

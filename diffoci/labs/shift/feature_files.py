"""Features of anybody's extractor: a .npz file with x and y, bounded before it is opened, never unpickled."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diffoci.inputs import Ints, Matrix
from diffoci.labs.npz_files import NUMBERS, read_arrays

MOST_FEATURES, MOST_CLASSES, FEWEST_ROWS = 20_000, 1000, 40


@dataclass(frozen=True, eq=False)
class FeatureFile:
    """What a file holds: one row of features and one class per example; `sha256` is of its content."""

    x: Matrix
    y: Ints
    sha256: str


def read_features(path: Path) -> FeatureFile:
    """Read a file, or say in a sentence why not."""
    arrays = read_arrays(path, {"x": NUMBERS, "y": NUMBERS}, how="it needs x (features) and y (classes)")
    x, y = arrays["x"], arrays["y"]
    _check(x, y, path.name)
    digest = hashlib.sha256(x.tobytes() + y.tobytes()).hexdigest()
    return FeatureFile(np.ascontiguousarray(x, dtype=np.float32), y.astype(np.int64), digest)


def _check(x: NDArray[np.generic], y: NDArray[np.generic], file: str) -> None:
    if x.ndim != 2 or not 1 <= x.shape[1] <= MOST_FEATURES:
        raise ValueError(
            f"{file}: x must be a table of 1 to {MOST_FEATURES:,} features, one row per example, not {x.shape}."
        )
    if y.shape != (len(x),):
        raise ValueError(f"{file}: y must have one class per row of x, {len(x):,} in all, not {y.shape}.")
    if len(x) < FEWEST_ROWS:
        raise ValueError(f"{file} has {len(x)} rows; at least {FEWEST_ROWS} are needed.")
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        raise ValueError(f"{file}: x has missing or infinite values; fill them or leave those rows out.")
    whole = y.dtype.kind in "biu" or bool(np.all(np.mod(y, 1) == 0))  # NaN is no whole number either
    if not whole or not 2 <= len(np.unique(y)) <= MOST_CLASSES:
        raise ValueError(f"{file}: y must hold 2 to {MOST_CLASSES:,} classes as whole numbers.")

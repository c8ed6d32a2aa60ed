"""Features of anybody's extractor: a .npz file with x and y, bounded before it is opened, never unpickled."""

from __future__ import annotations

import hashlib
import lzma
import math
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diffoci.inputs import Ints, Matrix

MOST_BYTES = 2 * 1024**3
MOST_FEATURES, MOST_CLASSES, FEWEST_ROWS = 20_000, 1000, 40
_NEEDED = ("x", "y")
# What zipfile, zlib and numpy raise on bytes that are not what they say.
_DAMAGED = (
    ValueError,
    OSError,
    EOFError,
    KeyError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
)


class _Refused(ValueError):
    """A sentence that says more than that a file is damaged."""


@dataclass(frozen=True, eq=False)
class FeatureFile:
    """What a file holds: one row of features and one class per example; `sha256` is of its content."""

    x: Matrix
    y: Ints
    sha256: str


def read_features(path: Path) -> FeatureFile:
    """Read a file, or say in a sentence why not."""
    if not path.is_file():
        raise ValueError(f"There is no file {path.name}; name a .npz file with the arrays x and y.")
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                x, y = (_array(archive, path.name, name) for name in _NEEDED)
        except _Refused:
            raise
        except zipfile.BadZipFile:
            raise ValueError(
                f"{path.name} is not a whole .npz file; write one with numpy.savez(file, x=..., y=...)."
            ) from None
        except _DAMAGED:
            raise ValueError(f"{path.name} is damaged; write the file again.") from None
    _check(x, y, path.name)
    digest = hashlib.sha256(x.tobytes() + y.tobytes()).hexdigest()
    return FeatureFile(np.ascontiguousarray(x, dtype=np.float32), y.astype(np.int64), digest)


def _array(archive: zipfile.ZipFile, file: str, name: str) -> NDArray[np.generic]:
    """One array; its header must describe as many bytes as there are, before any memory is taken for them."""
    if f"{name}.npy" not in archive.namelist():
        raise _Refused(f"{file} has no array {name!r}; it needs x (features) and y (classes).")
    entry = archive.getinfo(f"{name}.npy")
    if entry.file_size > MOST_BYTES:
        raise _Refused(f"{file}: {name} is larger than {MOST_BYTES // 1024**3} GB; give fewer rows.")
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
        if dtype.hasobject or dtype.kind not in "biuf":
            raise _Refused(f"{file}: {name} is no plain array of numbers; pickled objects are not read.")
        if math.prod(shape) * dtype.itemsize != entry.file_size - stream.tell():
            raise _Refused(f"{file}: {name} is cut short or damaged; write the file again.")
    with archive.open(entry) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


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

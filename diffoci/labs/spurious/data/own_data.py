"""Features of one's own, from a file; and rows cut into the three splits."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from diffoci.data.fetching.files import sha256_of
from diffoci.inputs import Ints
from diffoci.labs.spurious.data.examples import Examples, Kind, Rows

if TYPE_CHECKING:
    from diffoci.labs.spurious.data.backbone import Behind

SPLITS = ("train", "validation", "test")
_ENTRIES = ("features", "y", "group", "split")


@lru_cache(maxsize=1)
def features_file(seed: int, *, path: str) -> Examples:
    """The rows of an .npz file with features, y, group and split (0, 1, 2 or their names); every seed has the same."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            missing = [name for name in _ENTRIES if name not in archive.files]
            found = {} if missing else {name: archive[name] for name in _ENTRIES}
    except (ValueError, zipfile.BadZipFile, EOFError):
        raise ValueError(f"{Path(path).name} is no .npz file of plain arrays; write one with numpy.savez.") from None
    if missing:
        raise ValueError(f"{Path(path).name} has no entry {missing[0]!r}; it needs {', '.join(_ENTRIES)}.")
    x = np.asarray(found["features"], dtype=np.float32)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise ValueError(f"The features in {Path(path).name} must be a table of finite numbers, one row per example.")
    if any(len(found[name]) != len(x) for name in _ENTRIES):
        raise ValueError(f"The entries of {Path(path).name} have different numbers of rows.")
    labels, label = np.unique(found["y"].astype(str), return_inverse=True)
    groups, group = np.unique(found["group"].astype(str), return_inverse=True)
    return split_up(x, label, group, _split_codes(found["split"]), tuple(labels), tuple(groups))


def split_up(
    x: NDArray[np.float32],
    label: Ints,
    group: Ints,
    split: Ints,
    labels: tuple[str, ...],
    groups: tuple[str, ...],
    *,
    behind: Behind | None = None,
) -> Examples:
    """The three splits of rows; features are standardised by the training rows."""
    parts = []
    for k, name in enumerate(SPLITS):
        rows = np.flatnonzero(split == k)
        if not len(rows):
            raise ValueError(f"No row belongs to the {name} split; the lab needs all three.")
        parts.append(Rows(x[rows], label[rows], group[rows]))
    if len(labels) < 2 or len(groups) < 2:
        raise ValueError("Label and group must have at least two values each.")
    if x.ndim == 2:
        centre, scale = scale_of(parts[0].x)
        parts = [Rows((rows.x - centre) / scale, rows.label, rows.group) for rows in parts]
    train, validation, test = parts
    return Examples(labels, groups, train, validation, test, behind=behind)


def scale_of(x: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The mean and the spread of features, which may be of any scale."""
    return x.mean(axis=0), np.maximum(x.std(axis=0), np.float32(1e-6))


def _split_codes(split: Any) -> Ints:
    if split.dtype.kind in "iu":
        return np.asarray(split, dtype=np.int64)
    names = {"train": 0, "val": 1, "validation": 1, "valid": 1, "test": 2}
    strange = sorted(set(split.astype(str)) - set(names))
    if strange:
        raise ValueError(f"{strange[0][:40]!r} is no split; use train, validation and test.")
    return np.array([names[str(one)] for one in split])


def _of_file(options: Mapping[str, Any]) -> str:
    path = Path(options["path"])
    if not path.is_file():
        raise ValueError(f"There is no {path.name} at the path given.")
    return sha256_of(path)


FEATURES = Kind(
    name="features",
    title="Features of your own",
    about="features that somebody computed, with label, group and split, from a file",
    label="y",
    group="group",
    draw=features_file,
    content=_of_file,
    options=("path",),
    needed=("path",),
)

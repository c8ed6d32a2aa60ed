"""Features of one's own, from a file; and rows cut into the three splits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from diffoci.data.fetching.files import sha256_of
from diffoci.inputs import Ints
from diffoci.labs.npz_files import NUMBERS, NUMBERS_OR_TEXTS, read_arrays
from diffoci.labs.spurious.data.examples import Examples, Kind, Rows
from diffoci.plain_text import can_be_shown

if TYPE_CHECKING:
    from diffoci.labs.spurious.data.backbone import Behind

SPLITS = ("train", "validation", "test")
# Of labels and of groups: every label in every group is a cell of its own.
MOST_VALUES, LONGEST_VALUE = 50, 200


@lru_cache(maxsize=1)
def features_file(seed: int, *, path: str) -> Examples:
    """The rows of an .npz file with features, y, group and split (0, 1, 2 or their names); every seed has the same."""
    file = Path(path)
    kinds = {"features": NUMBERS, **dict.fromkeys(("y", "group", "split"), NUMBERS_OR_TEXTS)}
    found = read_arrays(file, kinds, how=f"it needs {', '.join(kinds)}")
    with np.errstate(over="ignore"):  # what is no number in single precision is refused below
        x = np.asarray(found["features"], dtype=np.float32)
    if x.ndim != 2 or not x.shape[1] or not np.isfinite(x).all():
        raise ValueError(f"The features in {file.name} must be a table of finite numbers, one row per example.")
    if any(found[name].shape != (len(x),) for name in kinds if name != "features"):
        raise ValueError(f"The entries of {file.name} have different numbers of rows.")
    labels, label = _named(found["y"], "y", file)
    groups, group = _named(found["group"], "group", file)
    return split_up(x, label, group, _split_codes(found["split"]), labels, groups)


def _named(values: NDArray[Any], name: str, file: Path) -> tuple[tuple[str, ...], Ints]:
    """What occurs, as texts that pages can show, and which of them each row has."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{file.name}: {name} has missing or infinite values; leave those rows out.")
    found, code = np.unique(values, return_inverse=True)
    if len(found) > MOST_VALUES:
        raise ValueError(f"{file.name}: {name} has {len(found):,} values; {MOST_VALUES} are the most.")
    names = tuple(map(str, found))
    if not all(text and can_be_shown(text, longest=LONGEST_VALUE) for text in names) or len(set(names)) < len(names):
        raise ValueError(f"{file.name}: a value of {name} is no short text that can be shown; rename it.")
    return names, code.astype(np.int64)


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
        if not np.isin(split, (0, 1, 2)).all():
            raise ValueError("A split is 0 (train), 1 (validation) or 2 (test).")
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

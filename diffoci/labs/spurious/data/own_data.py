"""Data of one's own: a file of features, a Waterbirds folder, or a table with its group attribute."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.inputs import Ints
from diffoci.labs.spurious.data.examples import Examples, Kind, Rows

SPLITS = ("train", "validation", "test")
_ENTRIES = ("features", "y", "group", "split")
_COLUMNS = ("img_filename", "y", "place", "split")
SIDE = 48


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
    return _split(x, label, group, _split_codes(found["split"]), tuple(labels), tuple(groups))


@lru_cache(maxsize=1)
def waterbirds_folder(seed: int, *, path: str) -> Examples:
    """The published folder: metadata.csv (img_filename, y, place, split) and the images, here made small."""
    from PIL import Image

    metadata = read_metadata(path)
    images = np.empty((len(metadata), SIDE, SIDE, 3), dtype=np.float32)
    for k, name in enumerate(metadata["img_filename"]):
        file = _inside(Path(path), str(name))
        try:
            with Image.open(file) as picture:
                small = picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        except FileNotFoundError:
            raise ValueError(f"metadata.csv names {str(name)[:80]}, which the folder does not have.") from None
        except OSError:
            raise ValueError(f"{str(name)[:80]} cannot be read as an image.") from None
        images[k] = np.asarray(small, dtype=np.float32) / 255
    label, group, split = (np.asarray(metadata[name], dtype=np.int64) for name in ("y", "place", "split"))
    return _split(images, label, group, split, ("landbird", "waterbird"), ("land", "water"))


def read_metadata(path: str) -> pd.DataFrame:
    """Return metadata.csv of a Waterbirds folder, checked."""
    file = Path(path) / "metadata.csv"
    if not file.is_file():
        raise ValueError(f"{Path(path).name} has no metadata.csv; name the folder that holds it and the images.")
    found = pd.read_csv(file)
    if missing := [name for name in _COLUMNS if name not in found.columns]:
        raise ValueError(f"metadata.csv has no column {missing[0]!r}; Waterbirds has {', '.join(_COLUMNS)}.")
    if not (found["y"].isin((0, 1)) & found["place"].isin((0, 1)) & found["split"].isin((0, 1, 2))).all():
        raise ValueError("metadata.csv must have 0 or 1 as y and place, and 0, 1 or 2 as split.")
    return found


def table(seed: int, *, source: str, attribute: str = "") -> Examples:
    """Any table of diffoci.data: its outcome is the label, one sensitive attribute the group."""
    from diffoci.data import sources
    from diffoci.data.encoding import Encoder
    from diffoci.data.splits import split_dataset

    dataset = sources.load(source, sensitive=[attribute] if attribute else None)
    name = attribute or str(dataset.sensitive.columns[0])
    groups = dataset.sensitive[name].astype("category")
    split = split_dataset(dataset, fractions=(0.6, 0.2, 0.2), seed=seed)
    encoder = Encoder().fit(dataset.features.iloc[split.train], dataset.columns)
    x = np.asarray(encoder.transform(dataset.features), dtype=np.float32)
    code = np.empty(len(dataset), dtype=np.int64)
    for k, rows in enumerate((split.train, split.validation, split.test)):
        code[rows] = k
    names = tuple(map(str, groups.cat.categories))
    label, group = (np.asarray(codes, dtype=np.int64) for codes in (dataset.label, groups.cat.codes))
    return _split(x, label, group, code, dataset.label_classes, names)


def _split(
    x: NDArray[np.float32], label: Ints, group: Ints, split: Ints, labels: tuple[str, ...], groups: tuple[str, ...]
) -> Examples:
    parts = []
    for k, name in enumerate(SPLITS):
        rows = np.flatnonzero(split == k)
        if not len(rows):
            raise ValueError(f"No row belongs to the {name} split; the lab needs all three.")
        parts.append(Rows(x[rows], label[rows], group[rows]))
    if len(labels) < 2 or len(groups) < 2:
        raise ValueError("Label and group must have at least two values each.")
    if x.ndim == 2:  # features of any scale, by the training rows
        centre, scale = parts[0].x.mean(axis=0), np.maximum(parts[0].x.std(axis=0), 1e-6)
        parts = [Rows((rows.x - centre) / scale, rows.label, rows.group) for rows in parts]
    return Examples(labels, groups, *parts)


def _split_codes(split: Any) -> Ints:
    if split.dtype.kind in "iu":
        return np.asarray(split, dtype=np.int64)
    names = {"train": 0, "val": 1, "validation": 1, "valid": 1, "test": 2}
    strange = sorted(set(split.astype(str)) - set(names))
    if strange:
        raise ValueError(f"{strange[0][:40]!r} is no split; use train, validation and test.")
    return np.array([names[str(one)] for one in split])


def _inside(folder: Path, name: str) -> Path:
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ValueError(f"metadata.csv names {name[:80]}, which lies outside the folder.")
    return file


def _of_file(options: Mapping[str, Any]) -> str:
    path = Path(options["path"])
    file = path / "metadata.csv" if path.is_dir() else path
    if not file.is_file():
        raise ValueError(f"There is no {file.name} at the path given.")
    return hashlib.sha256(file.read_bytes()).hexdigest()


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
WATERBIRDS = Kind(
    name="waterbirds",
    title="Waterbirds",
    about="bird photographs on photographs of water or land, from the published folder",
    label="kind of bird",
    group="background",
    draw=waterbirds_folder,
    content=_of_file,
    options=("path",),
    needed=("path",),
)
TABLE = Kind(
    name="table",
    title="A table",
    about="a table of people, one of its attributes taken as the group",
    label="outcome",
    group="attribute",
    draw=table,
    options=("source", "attribute"),
    needed=("source",),
)

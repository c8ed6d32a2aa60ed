"""The published Waterbirds folder: images made small for our own network, or features of a frozen backbone."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from diffoci.data.fetching.files import sha256_of
from diffoci.labs.spurious.data.examples import Examples, Kind
from diffoci.labs.spurious.data.own_data import scale_of, split_up
from diffoci.labs.spurious.data.pictures import inside, read_picture
from diffoci.runs.study import Watch

BACKBONES = ("resnet50", "resnet18")
SIDE = 48
# Waterbirds has 11,788 images; so many small ones fit into an ordinary machine's memory.
MOST_IMAGES, MOST_BYTES = 50_000, 20 * 10**6
_LABELS, _GROUPS = ("landbird", "waterbird"), ("land", "water")
CELLS = tuple(f"{label}, {group}" for label in _LABELS for group in _GROUPS)
_COLUMNS = ("img_filename", "y", "place", "split")
_TEST = 2


@lru_cache(maxsize=1)
def waterbirds_folder(seed: int, *, path: str, backbone: str = "", weights: str = "") -> Examples:
    """The images of the folder at 48 by 48 pixels, or what a frozen backbone makes of them at 224."""
    metadata = read_metadata(path)
    files = _files(path, metadata)
    label, group, split = (np.asarray(metadata[name], dtype=np.int64) for name in ("y", "place", "split"))
    if not backbone:
        return split_up(np.stack([read_picture(file, SIDE) for file in files]), label, group, split, _LABELS, _GROUPS)
    from diffoci.labs.spurious.data.backbone import Behind, frozen_features, weights_file

    kept = weights_file(backbone, weights)
    features = frozen_features(files, backbone, kept)
    tested = tuple(files[row] for row in np.flatnonzero(split == _TEST))
    behind = Behind(backbone, kept, tested, *scale_of(features[split == 0]))
    return split_up(features, label, group, split, _LABELS, _GROUPS, behind=behind)


def prepare(options: Mapping[str, Any], watch: Watch) -> None:
    """Compute features that this machine does not have yet, which takes a while: say how far it is."""
    if backbone := options.get("backbone"):
        from diffoci.labs.spurious.data.backbone import frozen_features, weights_file

        files = _files(options["path"], read_metadata(options["path"]))
        frozen_features(files, backbone, weights_file(backbone, options.get("weights", "")), watch)


def read_metadata(path: str) -> pd.DataFrame:
    """Return metadata.csv of a Waterbirds folder, checked."""
    file = Path(path) / "metadata.csv"
    if not file.is_file():
        raise ValueError(f"{Path(path).name} has no metadata.csv; name the folder that holds it and the images.")
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(f"metadata.csv is larger than {MOST_BYTES // 10**6} MB; Waterbirds has less than one.")
    try:
        found = pd.read_csv(file)
    except ValueError:  # cut short, of another encoding, or no table at all
        raise ValueError("metadata.csv cannot be read as a CSV table; take that of the published folder.") from None
    if len(found) > MOST_IMAGES:
        raise ValueError(f"metadata.csv names {len(found):,} images; {MOST_IMAGES:,} are the most.")
    if missing := [name for name in _COLUMNS if name not in found.columns]:
        raise ValueError(f"metadata.csv has no column {missing[0]!r}; Waterbirds has {', '.join(_COLUMNS)}.")
    if not (found["y"].isin((0, 1)) & found["place"].isin((0, 1)) & found["split"].isin((0, 1, 2))).all():
        raise ValueError("metadata.csv must have 0 or 1 as y and place, and 0, 1 or 2 as split.")
    return found


def _files(path: str, metadata: pd.DataFrame) -> list[Path]:
    return [inside(Path(path), str(name)) for name in metadata["img_filename"]]


def _content(options: Mapping[str, Any]) -> str:
    """The digest of the table, and of the weights where there is a backbone."""
    read_metadata(options["path"])
    table = sha256_of(Path(options["path"]) / "metadata.csv")
    backbone = options.get("backbone", "")
    if not backbone:
        if options.get("weights"):
            raise ValueError("Weights are those of a backbone; name it, too: " + " or ".join(BACKBONES) + ".")
        return table
    if backbone not in BACKBONES:
        raise ValueError(f"There is no backbone {str(backbone)[:60]!r} here; choose from {', '.join(BACKBONES)}.")
    if importlib.util.find_spec("torchvision") is None:
        raise ValueError("A backbone needs the package torchvision: pip install 'diffoci[vision]'.")
    from diffoci.labs.spurious.data.backbone import weights_file

    kept = sha256_of(weights_file(backbone, options.get("weights", "")))
    return hashlib.sha256(f"{table}{kept}".encode()).hexdigest()


WATERBIRDS = Kind(
    name="waterbirds",
    title="Waterbirds",
    about="bird photographs on photographs of water or land, from the published folder",
    label="kind of bird",
    group="background",
    draw=waterbirds_folder,
    content=_content,
    prepare=prepare,
    options=("path", "backbone", "weights"),
    needed=("path",),
)

"""A frozen backbone: a network of torchvision whose features of images are computed once and kept on this machine."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import pickle
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from diffoci.data.fetching.files import cache_folder, sha256_of
from diffoci.inputs import Ints, Matrix
from diffoci.labs.spurious.data.pictures import read_picture
from diffoci.labs.spurious.data.scenes import Images
from diffoci.runs.files import write_atomically
from diffoci.runs.lock import AlreadyRunning, RunLock
from diffoci.runs.study import Watch

SIDE, _MARGIN = 224, 16  # of 256 pixels, as those do who published Waterbirds
_BATCH = 32
# What torch and safetensors raise on bytes that are no weights, or would be unpickled as something else.
_UNREADABLE = (
    pickle.UnpicklingError, SafetensorError, RuntimeError, EOFError, AttributeError, TypeError, KeyError, OSError,
)  # fmt: skip
MOST_BYTES_OF_WEIGHTS = 10**9  # ResNet-50 has a tenth of that
# ImageNet's mean and standard deviation of each colour.
_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@dataclass(frozen=True, eq=False)
class Behind:
    """What lies behind features: the images of test rows, and the way from their pixels to what a network learns from.

    Features were standardised by `centre` and `scale`.
    """

    backbone: str
    weights: Path
    files: tuple[Path, ...]
    centre: Matrix
    scale: Matrix

    def images(self, rows: Ints) -> Images:
        """Images as the backbone sees them, from 0 to 1."""
        return np.stack([read_picture(self.files[row], SIDE, margin=_MARGIN) for row in rows])

    def features(self, x: Tensor) -> Tensor:
        """Standardised features of images (n, 3, side, side); a gradient goes through."""
        body = backbone_network(self.backbone, self.weights)
        return (_seen(body, x) - torch.from_numpy(self.centre)) / torch.from_numpy(self.scale)


def weights_file(backbone: str, weights: str = "") -> Path:
    """The file of weights that is named, or the one that torch's hub has kept; nothing is downloaded."""
    if weights:
        if not Path(weights).is_file():
            raise ValueError(f"There is no file of weights called {Path(weights).name} at the path given.")
        return Path(weights)
    kept = sorted((Path(torch.hub.get_dir()) / "checkpoints").glob(f"{backbone}-*.pth"))
    if not kept:
        raise ValueError(
            f"No weights of {backbone} are on this machine: name a file of them (the option 'weights'), or put "
            f"torchvision's {backbone}-….pth into the folder checkpoints of torch's hub."
        )
    return kept[0]


@lru_cache(maxsize=1)
def backbone_network(name: str, weights: Path) -> nn.Module:
    """The network with these weights, without its last layer, in the state in which it predicts."""
    with torch.device("meta"):  # nothing is drawn only to be overwritten
        network: nn.Module = torchvision_models().get_model(name, weights=None)
    network.fc = nn.Identity()
    try:
        network.load_state_dict(_state(weights), assign=True)
    except (RuntimeError, AttributeError):
        raise ValueError(f"{weights.name} does not hold weights of {name}, as torchvision saves them.") from None
    return network.eval().requires_grad_(False)


def frozen_features(files: Sequence[Path], backbone: str, weights: Path, watch: Watch | None = None) -> Matrix:
    """Features of images, one row each; computed where this machine does not have them yet.

    They are kept under the content of the images and of the weights: what is changed is computed anew.
    """
    watch = watch or Watch()
    content = hashlib.sha256("".join(map(sha256_of, files)).encode()).hexdigest()
    described = json.dumps([_made_by(), backbone, sha256_of(weights), content])
    path = cache_folder() / "spurious-lab" / f"{hashlib.sha256(described.encode()).hexdigest()[:16]}.npy"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.with_suffix(".lock"), watch):
            if not path.exists():  # another process may have computed them meanwhile
                write_atomically(path, _as_bytes(_computed(files, backbone_network(backbone, weights), watch)))
    kept: Matrix = np.load(path, allow_pickle=False)
    return kept


def torchvision_models() -> Any:
    """The networks of torchvision, or a sentence where it is not installed."""
    try:
        from torchvision import models
    except ModuleNotFoundError:
        raise ValueError("A backbone needs the package torchvision: pip install 'diffoci[vision]'.") from None
    except RuntimeError:
        # Its wheel for graphics cards beside a torch for processors: the two operators that it describes before they
        # are there are declared here. No network for classes calls them.
        for operator in ("nms", "qnms"):
            torch.library.define(f"torchvision::{operator}", "(Tensor a, Tensor b, float c) -> Tensor")
        from torchvision import models
    return models


def _state(weights: Path) -> dict[str, Tensor]:
    """The weights of a file, without those of the last layer."""
    _check_size(weights)
    try:
        found = load_file(weights) if weights.suffix == ".safetensors" else torch.load(weights, weights_only=True)
        return {name: value for name, value in found.items() if not name.startswith("fc.")}
    except _UNREADABLE:
        raise ValueError(f"{weights.name} cannot be read as a file of weights that torch saved.") from None


def _check_size(weights: Path) -> None:
    """Refuse a file that is larger than any weights of a backbone, packed or not."""
    size = weights.stat().st_size
    if zipfile.is_zipfile(weights):  # as torch saves them
        try:
            with zipfile.ZipFile(weights) as archive:
                size = max(size, sum(entry.file_size for entry in archive.infolist()))
        except zipfile.BadZipFile:
            raise ValueError(f"{weights.name} cannot be read as a file of weights that torch saved.") from None
    if size > MOST_BYTES_OF_WEIGHTS:
        raise ValueError(f"{weights.name} is larger than {MOST_BYTES_OF_WEIGHTS // 10**9} GB; no backbone here is.")


def _seen(body: nn.Module, x: Tensor) -> Tensor:
    mean, spread = (torch.tensor(values)[:, None, None] for values in (_MEAN, _SPREAD))
    seen: Tensor = body((x - mean) / spread)
    return seen


@torch.inference_mode()
def _computed(files: Sequence[Path], body: nn.Module, watch: Watch) -> Matrix:
    found = []
    for start in range(0, len(files), _BATCH):
        watch.tell(fraction=0.0, message=f"features of images, {start:,} of {len(files):,}")
        images = np.stack([read_picture(file, SIDE, margin=_MARGIN) for file in files[start : start + _BATCH]])
        found.append(_seen(body, torch.from_numpy(images).permute(0, 3, 1, 2)).numpy())
    return np.concatenate(found)


def _as_bytes(features: Matrix) -> bytes:
    content = io.BytesIO()
    np.save(content, features)
    return content.getvalue()


@cache
def _made_by() -> list[str]:
    """The code that computes, and what with: features that others made are not taken."""
    code = "".join([inspect.getsource(read_picture), inspect.getsource(_seen), inspect.getsource(_computed)])
    return [code, str([SIDE, _MARGIN, _MEAN, _SPREAD]), torch.__version__, torch.backends.cpu.get_cpu_capability()]


@contextmanager
def _alone(path: Path, watch: Watch) -> Iterator[None]:
    """Let one process compute while the others wait, each of which can be stopped."""
    while True:
        try:
            with RunLock.acquire(path, patience=0):
                yield
            return
        except AlreadyRunning:
            watch.tell(fraction=0.0, message="features of images, computed by another process")
            time.sleep(0.5)

"""A small folder in the form of the published Waterbirds, and files of weights that nobody trained."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from PIL import Image

from diffoci.labs.spurious.data.backbone import torchvision_models


def waterbirds_folder(folder, rows=24):
    rng = np.random.default_rng(1)
    names = [f"{k:03d}.Some_bird/Some_bird_{k:04d}.jpg" for k in range(rows)]
    for name in names:
        (folder / name).parent.mkdir(parents=True)
        Image.fromarray(rng.integers(0, 255, (30, 40, 3), dtype=np.uint8)).save(folder / name)
    pd.DataFrame(
        {
            "img_id": range(1, rows + 1),
            "img_filename": names,
            "y": np.arange(rows) % 2,
            "split": np.arange(rows) // (rows // 3),
            "place": (np.arange(rows) // 2) % 2,
            "place_filename": ["/b/bamboo_forest/1.jpg"] * rows,
        }
    ).to_csv(folder / "metadata.csv", index=False)
    return folder


def untrained_weights(folder, name="resnet18"):
    """Weights as torchvision draws them, in a file as torch.save writes it."""
    path = folder / f"{name}.pth"
    with torch.random.fork_rng():
        torch.manual_seed(0)
        torch.save(torchvision_models().get_model(name, weights=None).state_dict(), path)
    return path

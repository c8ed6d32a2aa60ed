"""Read image files of a folder, with a sentence about one that is not there or is no image."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from diffoci.labs.spurious.data.scenes import Images


def inside(folder: Path, name: str) -> Path:
    """The path of a file that a table names, which must lie in its folder."""
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ValueError(f"metadata.csv names {name[:80]}, which lies outside the folder.")
    if not file.is_file():
        raise ValueError(f"metadata.csv names {name[:80]}, which the folder does not have.")
    return file


def read_picture(file: Path, side: int, *, margin: int = 0) -> Images:
    """An image made square, (side, side, 3) from 0 to 1, after `margin` pixels of every edge were cut off."""
    from PIL import Image

    whole = side + 2 * margin
    try:
        with Image.open(file) as picture:
            small = picture.convert("RGB").resize((whole, whole), Image.Resampling.BILINEAR)
    except OSError:
        raise ValueError(f"{file.name[:80]} cannot be read as an image.") from None
    values: Images = np.asarray(np.asarray(small) / 255, dtype=np.float32)
    return values[margin : margin + side, margin : margin + side]

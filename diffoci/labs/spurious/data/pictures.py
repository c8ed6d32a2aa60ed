"""Read image files of a folder, with a sentence about one that is not there or is no image."""

from __future__ import annotations

import struct
import warnings
from pathlib import Path

import numpy as np

from diffoci.labs.spurious.data.scenes import Images

MOST_PIXELS = 50_000_000  # of one photograph; unpacked it takes three bytes for each
# Of what the library can open, formats of photographs alone: another one starts a program.
_FORMATS = ("JPEG", "PNG", "BMP", "WEBP")


def inside(folder: Path, name: str) -> Path:
    """The path of a file that a table names, which must lie in its folder."""
    file = (folder / name.replace("\0", "?")).resolve()
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower
            with Image.open(file, formats=_FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise ValueError(f"{file.name[:80]} has more than {MOST_PIXELS:,} pixels.")
                small = picture.convert("RGB").resize((whole, whole), Image.Resampling.BILINEAR)
    except Image.DecompressionBombError:
        raise ValueError(f"{file.name[:80]} has more than {MOST_PIXELS:,} pixels.") from None
    except (OSError, SyntaxError, EOFError, struct.error):  # the library's own on damaged bytes
        raise ValueError(f"{file.name[:80]} cannot be read as an image.") from None
    values: Images = np.asarray(np.asarray(small) / 255, dtype=np.float32)
    return values[margin : margin + side, margin : margin + side]

"""A gallery: lines of images, and below them where every method's network looks."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_GAP = 3  # pixels between images
_RAMP = np.array([(0, 0, 4), (87, 16, 110), (188, 55, 84), (249, 142, 9), (252, 255, 164)], dtype=np.float64)


def coloured(maps: Bytes) -> Bytes:
    """Saliency from 0 to 255 as colours from dark to bright."""
    place = maps / 255 * (len(_RAMP) - 1)
    left = np.minimum(place.astype(int), len(_RAMP) - 2)
    share = (place - left)[..., None]
    return np.asarray(_RAMP[left] * (1 - share) + _RAMP[left + 1] * share, dtype=np.uint8)


def gallery(rows: Mapping[str, Bytes], *, alt: str, numbers: Sequence[int] | None = None) -> str:
    """HTML with one line of pictures (n, side, side, 3) for every name, as wide as there is room for.

    Above each picture stands its number, or its place where `numbers` are not given.

    Not a chart: a chart has one height for every window, which leaves a gap below images in a narrow one.
    """
    count = max((len(pictures) for pictures in rows.values()), default=0)
    above = "".join(f"<span>{number}</span>" for number in numbers or range(1, count + 1))
    strips = [(escape(name), data_address(_strip(pictures))) for name, pictures in rows.items()]
    lines = "".join(
        f'<div class="gallery-line"><span>{name}</span><img alt="" src="{strip}"></div>' for name, strip in strips
    )
    head = f'<div class="gallery-line"><span></span><div class="gallery-numbers">{above}</div></div>'
    return f'<div class="gallery" role="img" aria-label="{escape(alt)}">{head}{lines}</div>'


def _strip(pictures: Bytes) -> Bytes:
    """Pictures side by side, grey between them."""
    count, side = pictures.shape[:2]
    sheet = np.full((side, count * (side + _GAP) - _GAP, 3), 127, dtype=np.uint8)
    for k, picture in enumerate(pictures):
        sheet[:, k * (side + _GAP) : k * (side + _GAP) + side] = picture
    return sheet


def data_address(picture: Bytes) -> str:
    """The picture (height, width, 3) as an address that holds it.

    >>> data_address(np.zeros((1, 1, 3), dtype=np.uint8))[:22]
    'data:image/png;base64,'
    """
    height, width = picture.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # every row begins with its filter, none
    rows[:, 1:] = picture.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    content = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in parts)
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

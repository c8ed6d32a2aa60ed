"""Arrays of colours as PNG files in a data address, which a figure or a page carries along."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


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

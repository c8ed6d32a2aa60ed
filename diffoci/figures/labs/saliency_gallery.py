"""A gallery: images, and below each where every method's network looks."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from diffoci.figures.drawing import Drawing
from diffoci.figures.template import beside

Bytes = NDArray[np.uint8]

_GAP = 3  # pixels between images
_RAMP = np.array([(0, 0, 4), (87, 16, 110), (188, 55, 84), (249, 142, 9), (252, 255, 164)], dtype=np.float64)


def coloured(maps: Bytes) -> Bytes:
    """Saliency from 0 to 255 as colours from dark to bright."""
    place = maps / 255 * (len(_RAMP) - 1)
    left = np.minimum(place.astype(int), len(_RAMP) - 2)
    share = (place - left)[..., None]
    return np.asarray(_RAMP[left] * (1 - share) + _RAMP[left + 1] * share, dtype=np.uint8)


def gallery(rows: Mapping[str, Bytes], *, columns: Sequence[str], told: pd.DataFrame, alt: str) -> Drawing:
    """One line of pictures (n, side, side, 3) for every name; `columns` say what stands above each."""
    names = list(rows)
    side = next(iter(rows.values())).shape[1]
    step = side + _GAP
    sheet = np.full((len(rows) * step - _GAP, len(columns) * step - _GAP, 3), 127, dtype=np.uint8)
    for i, pictures in enumerate(rows.values()):
        for j, picture in enumerate(pictures):
            sheet[i * step : i * step + side, j * step : j * step + side] = picture
    height, width = sheet.shape[:2]
    figure = go.Figure(go.Image(source=data_address(sheet), hoverinfo="skip"))
    figure.update_xaxes(
        side="top",
        tickvals=[j * step + side / 2 for j in range(len(columns))],
        ticktext=list(columns),
        range=[0, width],
        showline=False,
        ticks="",
        tickangle=0,
    )
    figure.update_yaxes(
        tickvals=[i * step + side / 2 for i in range(len(names))],
        ticktext=names,
        range=[height, 0],
        showline=False,
        ticks="",
        scaleanchor="x",
        constraintoward="top",  # in a narrow window, no gap above
    )
    figure.update_layout(height=60 + 110 * len(names), margin={"t": 40, "l": beside(names), "r": 4, "b": 4})
    return Drawing(figure, told, alt)


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

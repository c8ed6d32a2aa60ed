"""Images that pages and reports show: some of every label in every group, the same for every method."""

from __future__ import annotations

from typing import Any

import numpy as np

from diffoci.inputs import Ints
from diffoci.labs.spurious.data.examples import Examples
from diffoci.labs.spurious.data.scenes import Images

OF_A_CELL = 18
OF_A_CELL_FROZEN = 6  # each goes through a backbone and back


def shown_rows(examples: Examples) -> Ints:
    """The test rows that are shown."""
    rng, cell = np.random.default_rng(3), examples.cell(examples.test)
    most = OF_A_CELL if examples.behind is None else OF_A_CELL_FROZEN
    return np.concatenate([rng.permutation(np.flatnonzero(cell == k))[:most] for k in np.unique(cell)])


def shown_examples(examples: Examples) -> dict[str, Any]:
    """Images, masks, labels and groups of those rows; nothing where rows are not images."""
    chosen = shown_rows(examples)
    rows = examples.test.take(chosen)
    if examples.behind is not None:
        images = halved(examples.behind.images(chosen), np.mean)
    elif examples.are_images:
        images = rows.x
    else:
        return {}
    found: dict[str, Any] = {"images": _bytes(images), "label": rows.label, "group": rows.group}
    return found if rows.mask is None else {**found, "mask": _bytes(rows.mask)}


def halved(pictures: Images, by: Any) -> Images:
    """Pictures of half the side, by the mean or the maximum of four pixels: a run keeps many of them."""
    count, height, width, *colours = pictures.shape
    found: Images = by(pictures.reshape(count, height // 2, 2, width // 2, 2, *colours), axis=(2, 4))
    return found


def _bytes(values: Any) -> Any:
    return (255 * np.clip(values, 0, 1)).round().astype(np.uint8)

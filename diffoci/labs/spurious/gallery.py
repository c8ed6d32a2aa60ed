"""Images that pages and reports show: some of every label in every group, the same for every method."""

from __future__ import annotations

from typing import Any

import numpy as np

from diffoci.inputs import Ints
from diffoci.labs.spurious.data.examples import Examples

OF_A_CELL = 6


def shown_rows(examples: Examples) -> Ints:
    """The test rows that are shown."""
    rng, cell = np.random.default_rng(3), examples.cell(examples.test)
    return np.concatenate([rng.permutation(np.flatnonzero(cell == k))[:OF_A_CELL] for k in np.unique(cell)])


def shown_examples(examples: Examples) -> dict[str, Any]:
    """Images, masks, labels and groups of those rows; nothing where rows are not images."""
    if not examples.are_images:
        return {}
    rows = examples.test.take(shown_rows(examples))
    found: dict[str, Any] = {"images": _bytes(rows.x), "label": rows.label, "group": rows.group}
    return found if rows.mask is None else {**found, "mask": _bytes(rows.mask)}


def _bytes(values: Any) -> Any:
    return (255 * np.clip(values, 0, 1)).round().astype(np.uint8)

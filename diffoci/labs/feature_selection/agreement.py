"""How much repeated selections agree with one another, chance allowed for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def stability(selections: Sequence[Sequence[int]], features: int) -> float | None:
    """The measure of Nogueira, Sechidis and Brown (2018): 1 for one and the same set, 0 for what chance gives.

    None where it says nothing: one selection, or nothing or everything selected every time.

    >>> stability([(0, 1), (0, 1), (0, 1)], 10), round(stability([(0, 1), (0, 2), (0, 3)], 10), 3)
    (1.0, 0.375)
    """
    chosen = np.zeros((len(selections), features))
    for row, selection in zip(chosen, selections, strict=True):
        row[list(selection)] = 1.0
    share = chosen.mean()
    if len(selections) < 2 or share in (0.0, 1.0):
        return None
    spread = chosen.var(axis=0, ddof=1).mean()
    return float(1.0 - spread / (share * (1.0 - share)))

"""What p-values of shuffles can be."""

from __future__ import annotations


def of_shuffles(p_value: float, shuffles: int) -> float:
    """The nearest p-value that so many shuffles can give: rows as they are count as one of them, so none is 0.

    >>> of_shuffles(0.0, 19), of_shuffles(0.101, 19)
    (0.05, 0.1)
    """
    return max(1, round(p_value * (shuffles + 1))) / (shuffles + 1)

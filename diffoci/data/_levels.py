"""Categorical columns from integer codes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd


def levels_series(
    codes: np.ndarray,
    levels: Sequence[str],
    *,
    index: pd.Index | None = None,
    name: Hashable = None,
    ordered: bool = False,
) -> pd.Series:
    """Return a categorical of strings; code -1 is missing.

    >>> levels_series(np.array([0, 1, -1]), ["a", "b"]).tolist()
    ['a', 'b', nan]
    """
    categories = pd.Index(list(levels), dtype="str")
    cut = pd.Categorical.from_codes(np.asarray(codes, dtype=np.int64), categories=categories, ordered=ordered)
    return pd.Series(cut, index=index, name=name)


def only_used(values: pd.Series) -> pd.Series:
    """Forget the levels that no row has, keeping the order of the others."""
    return values.cat.remove_unused_categories()

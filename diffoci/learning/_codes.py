"""The label and the sensitive attributes as codes, or a sentence where they cannot be learnt from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from diffoci.inputs import Ints

# Numbers of more values than this are an amount (an age, a count) and not the names of classes.
MOST_NUMBERED_CLASSES = 20


def read_label(y: NDArray[Any], classes: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Class codes with their names, or numbers with None: whole numbers of many values are numbers, too."""
    if classes is None and (type_of_target(y) == "continuous" or _counts(y)):
        return y.astype(np.float32), None
    if classes is None:
        classes = np.unique(y)
        if len(classes) == 1:
            raise ValueError("y has one class only, so nothing about it can be learned; classes needed: 2 or more.")
    code = np.searchsorted(classes, y)
    if (code == len(classes)).any() or (classes[code] != y).any():
        raise ValueError("The validation rows hold a class of y that the training rows do not.")
    return code.astype(np.int64), classes


def _counts(y: NDArray[Any]) -> bool:
    return np.issubdtype(y.dtype, np.number) and len(np.unique(y)) > MOST_NUMBERED_CLASSES


def read_groups(
    sensitive: Any, rows: int, *, needed: bool, levels: pd.Index | None = None
) -> tuple[Ints | None, pd.Index | None]:
    """Codes of the joint groups of all sensitive attributes."""
    if sensitive is None:
        if needed:
            raise ValueError("sensitive is missing; dF2 and dF3 need the sensitive attributes of every row.")
        return None, None
    if not needed:
        return None, None
    frame = pd.DataFrame(sensitive) if not isinstance(sensitive, pd.DataFrame) else sensitive
    if len(frame) != rows:
        raise ValueError(f"sensitive has {len(frame)} rows but X has {rows}; give both the same rows.")
    if frame.isna().to_numpy().any():
        raise ValueError("sensitive has missing values; give those rows a level of their own or drop them.")
    joint = pd.Index(list(map(tuple, frame.astype(str).to_numpy())), tupleize_cols=False)
    if levels is None:
        levels = pd.Index(sorted(joint.unique()), tupleize_cols=False)
        if len(levels) == 1:
            raise ValueError("sensitive is constant; there is nothing to condition on.")
    code = levels.get_indexer(joint)
    # A group that training rows do not have: count it with the largest one rather than fail on a rare row.
    known = np.bincount(code[code >= 0], minlength=len(levels))
    code[code < 0] = known.argmax()
    return code.astype(np.int64), levels

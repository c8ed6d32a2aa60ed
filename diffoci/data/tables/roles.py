"""The label and the sensitive attributes of an unknown table."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data._levels import levels_series, only_used
from diffoci.data.dataset import Kind
from diffoci.data.tables.columns import as_levels, longest_text, normalise
from diffoci.plain_text import LONGEST_NAME

MAX_CLASSES = 20
MAX_GROUPS = 50
MAX_NUMBER_GROUPS = 10  # numbers with more values than this are cut into bands
SMALL_GROUP = 10
_YES = ("yes", "y", "true", "t", "1", "positive", "pos", "good", "high")
_COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


@dataclass(frozen=True)
class LabelColumn:
    """Codes into `classes`, and what to note about how they were made."""

    codes: np.ndarray
    classes: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_label(column: pa.ChunkedArray, name: str, positive: str | None) -> LabelColumn:
    """Turn a column without missing values into class codes, the positive class last."""
    plain = normalise(column)
    if not (pa.types.is_float64(plain.type) or pa.types.is_string(plain.type)):
        raise ValueError(f"The outcome '{name}' holds neither numbers nor text; choose another column.")
    _refuse_long_texts(plain, f"The outcome '{name}'")
    if pa.types.is_float64(plain.type) and positive and (cut := _comparison(positive)):
        sign, number = cut
        codes = _COMPARISONS[sign](plain.to_numpy(), number).astype(np.int64)
        if codes.min() == codes.max():
            raise ValueError(
                f"'{positive}' is {'true' if codes[0] else 'false'} for every value of the outcome '{name}'."
            )
        return LabelColumn(codes, (f"not {positive}", positive))
    distinct = pc.count_distinct(plain).as_py()
    if distinct == 1:
        (only,) = as_levels(plain.slice(0, 1)).cat.categories
        raise ValueError(
            f"The outcome '{name}' has only one class ('{only}') in all {len(plain):,} rows; choose another."
        )
    if distinct > MAX_CLASSES:
        hint = (
            "give a threshold such as positive='>50000'"
            if pa.types.is_float64(plain.type)
            else "choose another column or group its values"
        )
        raise ValueError(
            f"The outcome '{name}' has {distinct:,} different values; at most {MAX_CLASSES} classes can be"
            f" predicted: {hint}."
        )
    levels = as_levels(plain)
    classes = list(levels.cat.categories)
    codes = levels.cat.codes.to_numpy(dtype=np.int64)
    if positive is None:
        return _binary_by_habit(codes, classes, name) if distinct == 2 else LabelColumn(codes, tuple(classes))
    if positive not in classes:
        raise ValueError(f"'{positive}' is not a value of the outcome '{name}'; its values are {', '.join(classes)}.")
    hit = (codes == classes.index(positive)).astype(np.int64)
    other = f"not {positive}" if distinct > 2 else next(text for text in classes if text != positive)
    return LabelColumn(hit, (other, positive))


def _refuse_long_texts(plain: pa.ChunkedArray, what: str) -> None:
    if (letters := longest_text(plain)) > LONGEST_NAME:
        raise ValueError(f"{what} has a value of {letters:,} letters; at most {LONGEST_NAME} can be shown: shorten it.")


def _comparison(positive: str) -> tuple[str, float] | None:
    match = re.fullmatch(r"\s*(>=|<=|>|<)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*", positive)
    try:
        return (match[1], float(match[2])) if match else None
    except ValueError:
        return None


def _binary_by_habit(codes: np.ndarray, classes: list[str], name: str) -> LabelColumn:
    """Where nobody named the positive class, take a yes over a no and the later of two others."""
    if classes[0].lower() in _YES and classes[1].lower() not in _YES:
        codes, classes = 1 - codes, classes[::-1]
    note = f"'{classes[1]}' is taken as the positive class of '{name}'."
    return LabelColumn(codes, tuple(classes), (note,))


def read_groups(column: pa.ChunkedArray, name: str, *, kind: Kind | None = None) -> tuple[pd.Series, list[str]]:
    """Turn a column into the groups of a sensitive attribute, and say what was done.

    Numbers of many values are cut into bands, unless their `kind` says that they are codes.
    """
    try:
        plain = normalise(column)
    except pa.ArrowException as problem:
        raise ValueError(f"The sensitive attribute '{name}' holds values that cannot be read.") from problem
    numeric = pa.types.is_float64(plain.type)
    if not (numeric or pa.types.is_string(plain.type)):
        raise ValueError(f"The sensitive attribute '{name}' holds neither numbers nor text; group it first.")
    _refuse_long_texts(plain, f"The sensitive attribute '{name}'")
    distinct = pc.count_distinct(plain).as_py()
    notes = []
    if numeric and distinct > MAX_NUMBER_GROUPS and kind in (None, "number"):
        groups, cuts = _quarters(plain.to_numpy())
        notes.append(
            f"'{name}' is a number and is used in bands, cut at {cuts}; if it holds codes, make it categories (kinds)."
        )
    else:
        if distinct > MAX_GROUPS:
            raise ValueError(
                f"The sensitive attribute '{name}' has {distinct:,} different values; at most {MAX_GROUPS}"
                " groups can be compared: group them first."
            )
        groups = as_levels(plain)
    missing = int(groups.isna().sum())
    if missing:
        levels = list(groups.cat.categories)
        levels += [] if "unknown" in levels else ["unknown"]
        codes = groups.cat.codes.to_numpy(dtype=np.int64)
        codes = np.where(codes < 0, levels.index("unknown"), codes)
        groups = levels_series(codes, levels)
        notes.append(f"{missing:,} rows without a value of '{name}' form the group 'unknown'.")
    groups = only_used(groups)
    if len(groups.cat.categories) < 2:
        raise ValueError(
            f"The sensitive attribute '{name}' has only one value ('{groups.iloc[0]}'); it needs two groups."
        )
    return groups, notes + _small_groups(groups, name)


def _small_groups(groups: pd.Series, name: str) -> list[str]:
    counts = groups.value_counts()
    return [
        f"Group '{level}' of '{name}' has {count} row{'s' if count > 1 else ''}: too few to judge."
        for level, count in counts.items()
        if count < SMALL_GROUP
    ]


def _quarters(values: np.ndarray) -> tuple[pd.Series, str]:
    """Cut numbers into up to four groups of about equal size."""
    finite = values[np.isfinite(values)]
    cuts = np.unique(np.quantile(finite, [0.25, 0.5, 0.75])) if finite.size else np.array([])
    cuts = cuts[cuts > finite.min()] if finite.size else cuts
    codes = np.where(np.isnan(values), -1, np.searchsorted(cuts, values, side="right"))
    texts = [f"{cut:.6g}" for cut in cuts]
    middle = [f"{low} up to {high}" for low, high in pairwise(texts)]
    levels = [f"under {texts[0]}", *middle, f"{texts[-1]} and over"] if texts else ["all"]
    if len(set(levels)) < len(levels):  # cuts so close that they print alike
        levels = [f"band {place}" for place in range(1, len(levels) + 1)]
    return levels_series(codes, levels), ", ".join(texts)

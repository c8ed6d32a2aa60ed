"""Turn features into numbers, with everything learnt from the training rows only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from diffoci.data._levels import only_used
from diffoci.data.dataset import Column, Kind
from diffoci.inputs import squarable

Coding = Literal["onehot", "integer"]
FORMAT = 1
# Beyond this many levels the standard data keep a nominal column as one number; networks get its indicators.
MOST_INDICATORS = 30


@dataclass(frozen=True)
class ColumnCode:
    """What was learnt about one column: everything needed to encode new rows.

    `fill` is the median or, for levels, the position of the most frequent one. `mean` and `scale` standardise
    numbers; for one-hot columns `scale` is the length of an indicator. `edges` are where pieces of it meet, if any.
    """

    name: str
    kind: Kind
    onehot: bool
    levels: tuple[str, ...]
    fill: float
    mean: float
    scale: float
    indicator: bool
    edges: tuple[float, ...] = ()


class Encoder:
    """Scale, impute and code features.

    Numbers are standardised. Ordered levels become their rank, standardised. Nominal levels become indicators
    (``coding="onehot"``) or, as in the paper, standardised integer codes (``coding="integer"``). Missing
    values become the median or the most frequent level, with an indicator column of their own where the
    training rows have any.

    The indicators of one nominal column have length ``1 / sqrt(1 - sum p_k^2)``, so that their variances sum
    to 1: in Euclidean distance one nominal column weighs as much as one standardised number.

    Parameters
    ----------
    coding : {"onehot", "integer"}, default="onehot"
    most_indicators : int, optional
        With "onehot", code a nominal column with more levels than this as integers. Classification schemes with
        hundreds of codes (occupation, place of birth) put like next to like.
    pieces : int, default=0
        Also give a number as this many pieces: how far it has come between one quantile of the training rows and the
        next, from 0 to 1. A network can then bend at each of them, as trees do. The same for the position among
        more than `MOST_INDICATORS` levels.

    Attributes
    ----------
    names_ : tuple of str
        Encoded columns.
    origin_ : tuple of str
        For each encoded column, the feature it stands for.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": [1.0, 3.0], "c": pd.Categorical(["a", "b"])})
    >>> encoder = Encoder().fit(frame, [Column("x", "number", "x"), Column("c", "nominal", "c")])
    >>> encoder.names_, encoder.origin_
    (('x', 'c=a', 'c=b'), ('x', 'c', 'c'))
    """

    def __init__(self, *, coding: Coding = "onehot", most_indicators: int | None = None, pieces: int = 0) -> None:
        if coding not in ("onehot", "integer"):
            raise ValueError(f"'{coding}' is not a coding; choose onehot or integer.")
        self.coding = coding
        self.most_indicators = most_indicators
        self.pieces = pieces

    def fit(self, frame: pd.DataFrame, columns: Sequence[Column]) -> Encoder:
        """Learn from the training rows."""
        if absent := [column.name for column in columns if column.name not in frame]:
            raise ValueError(f"The features lack {', '.join(absent)}.")
        if len(frame) == 0:
            raise ValueError("An encoder needs at least one training row.")
        self._set(tuple(self._learn(frame[column.name], column) for column in columns))
        return self

    def transform(self, frame: pd.DataFrame, *, dtype: type[np.floating] = np.float32) -> np.ndarray:
        """Encode rows; levels that training did not have are all zeros, or one code of their own."""
        if absent := [code.name for code in self.codes_ if code.name not in frame]:
            raise ValueError(f"The features lack {', '.join(absent)}.")
        encoded = np.zeros((len(frame), len(self.names_)), dtype=dtype)
        place = 0
        for code in self.codes_:
            width = _width(code)
            _encode(frame[code.name], code, encoded[:, place : place + width])
            place += width
        return encoded

    def columns_of(self, name: str) -> np.ndarray:
        """Return the positions of the encoded columns that stand for one feature."""
        return np.flatnonzero([origin == name for origin in self.origin_])

    def to_dict(self) -> dict[str, Any]:
        """Return what was learnt as plain values, ready for JSON."""
        return {"format": FORMAT, "coding": self.coding, "columns": [asdict(code) for code in self.codes_]}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Encoder:
        """Rebuild an encoder from `to_dict`."""
        if state.get("format") != FORMAT:
            raise ValueError(f"This encoding was saved in format {state.get('format')}, not {FORMAT}.")
        try:
            encoder = cls(coding=state["coding"])
            encoder._set(tuple(_read_code(entry) for entry in state["columns"]))
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise ValueError("This encoding is damaged: entries are missing or make no sense.") from problem
        return encoder

    def _set(self, codes: tuple[ColumnCode, ...]) -> None:
        self.codes_ = codes
        self.names_ = tuple(name for code in codes for name in _names(code))
        self.origin_ = tuple(code.name for code in codes for _ in range(_width(code)))

    def _learn(self, values: pd.Series, column: Column) -> ColumnCode:
        onehot = column.kind == "nominal" and self.coding == "onehot"
        if onehot and self.most_indicators is not None and values.nunique() > self.most_indicators:
            onehot = False
        levels: tuple[str, ...] = ()
        if column.kind != "number":
            # An indicator that is 0 in every training row teaches nothing; ranks and codes keep theirs.
            known_levels = only_used(values) if onehot else values
            levels = tuple(map(str, known_levels.cat.categories))
        numbers = _numbers(values, levels)
        known = numbers[~np.isnan(numbers)]
        indicator = 0 < known.size < numbers.size
        if known.size == 0:
            return ColumnCode(column.name, column.kind, onehot, levels, 0.0, 0.0, 1.0, False)
        fill = float(np.median(known)) if column.kind == "number" else float(np.bincount(known.astype(int)).argmax())
        filled = np.where(np.isnan(numbers), fill, numbers)
        if onehot:
            share = np.bincount(filled.astype(int), minlength=len(levels)) / filled.size
            spread = 1.0 - float((share**2).sum())
            mean, scale = 0.0, (1.0 / np.sqrt(spread) if spread > 1e-12 else 1.0)
        else:
            mean, scale = _standard(filled)
        edges = _edges(filled, self.pieces) if not onehot or len(levels) > MOST_INDICATORS else ()
        return ColumnCode(column.name, column.kind, onehot, levels, fill, mean, float(scale), indicator, edges)


def _standard(numbers: np.ndarray) -> tuple[float, float]:
    """The mean, and what to multiply with for a spread of 1; measured at a size whose squares are numbers."""
    sized, power = squarable(numbers)
    mean, deviation = float(sized.mean()), float(sized.std())
    if deviation <= 1e-12 * float(np.abs(sized).max()):
        return float(np.ldexp(mean, power)), 1.0
    return float(np.ldexp(mean, power)), float(np.ldexp(1.0 / deviation, -power))


def _read_code(entry: Mapping[str, Any]) -> ColumnCode:
    code = ColumnCode(**{**entry, "levels": tuple(entry["levels"]), "edges": tuple(entry.get("edges", ()))})
    texts = all(isinstance(one, str) for one in (code.name, *code.levels))
    flags = isinstance(code.onehot, bool) and isinstance(code.indicator, bool)
    numbers = np.array([code.fill, code.mean, code.scale, *code.edges], dtype=np.float64)
    if not (texts and flags and code.kind in get_args(Kind) and np.isfinite(numbers).all()):
        raise ValueError(f"Column {code.name!r} of the encoding is damaged.")
    return code


def _edges(numbers: np.ndarray, pieces: int) -> tuple[float, ...]:
    """Quantiles between which pieces lie; none where a number takes so few values that pieces would say nothing new."""
    found = np.unique(np.quantile(numbers, np.linspace(0, 1, pieces + 1))) if pieces else np.array([])
    return tuple(map(float, found)) if len(found) > 3 else ()


def _numbers(values: pd.Series, levels: tuple[str, ...]) -> np.ndarray:
    """Return numbers, or positions in `levels`; missing is NaN and an unknown level is len(levels)."""
    if not levels and not isinstance(values.dtype, pd.CategoricalDtype):
        return values.to_numpy(dtype=np.float64)
    here = list(map(str, values.cat.categories))
    where = {level: position for position, level in enumerate(levels)}
    positions = np.array([*(where.get(level, len(levels)) for level in here), np.nan])
    return positions[values.cat.codes.to_numpy()]


def _encode(values: pd.Series, code: ColumnCode, out: np.ndarray) -> None:
    numbers = _numbers(values, code.levels)
    missing = np.isnan(numbers)
    if code.indicator:
        out[:, -1] = missing
    filled = np.where(missing, code.fill, numbers)
    main = len(code.levels) if code.onehot else 1
    if code.onehot:
        positions = filled.astype(np.int64)
        known = np.flatnonzero(positions < main)
        out[known, positions[known]] = code.scale
        filled = np.where(positions < main, filled, code.fill)
    else:
        out[:, 0] = (filled - code.mean) * code.scale
    for piece, (low, high) in enumerate(pairwise(code.edges)):
        out[:, main + piece] = np.clip((filled - low) / (high - low), 0, 1)


def _width(code: ColumnCode) -> int:
    return (len(code.levels) if code.onehot else 1) + max(0, len(code.edges) - 1) + code.indicator


def _names(code: ColumnCode) -> list[str]:
    main = [f"{code.name}={level}" for level in code.levels] if code.onehot else [code.name]
    pieces = [f"{code.name} from {low:g}" for low in code.edges[:-1]]
    return main + pieces + ([f"{code.name} missing"] if code.indicator else [])

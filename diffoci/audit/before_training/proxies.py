"""Proxies: before any training, which columns reveal a sensitive attribute, alone or in pairs, and which tell y."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np
import pandas as pd

from diffoci.audit.before_training.revealing import MOST_PAIRS, PAIR_LEVEL, Evidence, pairs, single_columns
from diffoci.audit.measuring.features import foci_path
from diffoci.audit.measuring.sampled import sample
from diffoci.audit.result import Path
from diffoci.coefficients import T
from diffoci.data.dataset import Dataset

# Rows times pairs: what keeps the page's first answer within seconds.
_PAIR_ROWS = 150_000
_FEWEST_PAIRS = 20
ROWS, PERMUTATIONS = 3000, 199


@dataclass(frozen=True)
class Traces:
    """What was found of one attribute in the columns.

    `columns` has every column, `pairs` those that reveal only together, among `pairs_tested` of columns that reveal
    nothing alone. `y_beyond` is T of y and each column, given the attribute; empty without an outcome.
    """

    columns: Mapping[str, Evidence]
    pairs: tuple[Evidence, ...]
    pairs_tested: int
    y_beyond: Mapping[str, float]

    @property
    def smallest_auc(self) -> float:
        """The AUC that would have been found in four of five samples, whichever column had it."""
        return max((one.smallest_auc or 1.0 for one in self.columns.values()), default=1.0)

    def partners(self, column: str) -> list[str]:
        """The columns together with which this one reveals the attribute."""
        return [other for pair in self.pairs if column in pair.columns for other in pair.columns if other != column]


@dataclass(frozen=True)
class Proxies:
    """What every column tells of y (where there is one) and of the attributes, in so many rows."""

    rows: int
    y: Mapping[str, Evidence]
    attributes: Mapping[str, Traces]


def before_training(dataset: Dataset, *, rows: int = ROWS, permutations: int = PERMUTATIONS, seed: int = 0) -> Proxies:
    """Test every column for what it tells of y and of every attribute, and pairs of the quiet ones."""
    frame, label, groups = sample(dataset, rows, seed)
    y = label if dataset.has_outcome else None
    attributes = {str(name): _traces(frame, y, groups[name], permutations=permutations, seed=seed) for name in groups}
    return Proxies(
        rows=len(frame),
        y={} if y is None else _by_name(single_columns(frame, y, permutations=permutations, seed=seed)),
        attributes=attributes,
    )


def foci_paths(dataset: Dataset, *, rows: int = ROWS, seed: int = 0) -> dict[str, Path]:
    """FOCI's paths for y (where there is one) and every attribute, in the same rows."""
    frame, label, groups = sample(dataset, rows, seed)
    targets = {**({"y": label} if dataset.has_outcome else {}), **{str(name): groups[name] for name in groups}}
    return {name: msgspec.convert(foci_path(frame, target), Path) for name, target in targets.items()}


def _traces(frame: pd.DataFrame, y: pd.Series | None, group: pd.Series, *, permutations: int, seed: int) -> Traces:
    alone = single_columns(frame, group, permutations=permutations, seed=seed)
    quiet = [one.columns[0] for one in alone if not one.reveals()]
    most = int(np.clip(_PAIR_ROWS // len(frame), _FEWEST_PAIRS, MOST_PAIRS))
    together = pairs(frame[quiet], group, permutations=permutations, seed=seed, most=most)
    return Traces(
        columns=_by_name(alone),
        pairs=tuple(one for one in together if one.reveals(PAIR_LEVEL)),
        pairs_tested=len(together),
        y_beyond={} if y is None else {str(name): T(y, frame[[name]], group.to_frame()) for name in frame},
    )


def _by_name(found: list[Evidence]) -> dict[str, Evidence]:
    return {one.columns[0]: one for one in found}

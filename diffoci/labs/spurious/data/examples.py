"""Examples: rows with a label and a group that goes with it, cut into splits; and the data the lab knows by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from diffoci.inputs import Ints
from diffoci.runs.study import Watch

if TYPE_CHECKING:
    from diffoci.labs.spurious.data.backbone import Behind


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one split: images (n, side, side, 3) from 0 to 1, or features (n, d), each with label and group.

    `mask` says how far each pixel belongs to the object, where that is known.
    """

    x: NDArray[np.float32]
    label: Ints
    group: Ints
    mask: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.label)

    def take(self, rows: Ints) -> Rows:
        """Some of the rows."""
        return Rows(self.x[rows], self.label[rows], self.group[rows], None if self.mask is None else self.mask[rows])


@dataclass(frozen=True, eq=False)
class Examples:
    """The three splits of one repetition; `oracle` are as many training rows without the correlation.

    Features that a frozen backbone made of images have these `behind` them.
    """

    labels: tuple[str, ...]
    groups: tuple[str, ...]
    train: Rows
    validation: Rows
    test: Rows
    oracle: Rows | None = None
    behind: Behind | None = None

    @property
    def are_images(self) -> bool:
        """Whether rows are images, and not features that somebody computed."""
        return self.train.x.ndim == 4

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of every label in every group, in the order of `cell`."""
        return tuple(f"{label}, {group}" for label in self.labels for group in self.groups)

    def cell(self, rows: Rows) -> Ints:
        """The label and the group of each row as one code."""
        return rows.label * len(self.groups) + rows.group

    def sizes(self, rows: Rows) -> Ints:
        """How many rows every cell has."""
        return np.bincount(self.cell(rows), minlength=len(self.cells))


def _nothing(options: Mapping[str, Any]) -> str:
    """The digest of data that are drawn: they lie nowhere."""
    return ""


def _ready(options: Mapping[str, Any], watch: Watch) -> None:
    """What data need that have nothing to compute first."""


def _as_declared(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """What options change of a kind's words: of most kinds nothing."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """How many images of every label in every group are drawn; training rows, usually `rows`, in such proportions."""

    labels: tuple[str, ...]
    groups: tuple[str, ...]
    rows: int
    train: tuple[int, ...]
    validation: tuple[int, ...]
    test: tuple[int, ...]

    def training(self, rows: int | None = None) -> Ints:
        """Training rows of every label in every group."""
        return shares(self.rows if rows is None else rows, self.train)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Data that the lab can be run on.

    `draw` gets a seed and the options; `content` the digest of what lies on this machine; `prepare` computes what takes
    long and is kept; `words` are what options say of title, label and group. Where repetitions are `fresh` they share
    no rows; `drawn` data are drawn in any number; `cut` data are cut into splits anew by every seed.
    """

    name: str
    title: str
    about: str
    label: str
    group: str
    draw: Callable[..., Examples]
    content: Callable[[Mapping[str, Any]], str] = _nothing
    prepare: Callable[[Mapping[str, Any], Watch], None] = _ready
    words: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _as_declared
    options: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    simulated: bool = False
    fresh: bool = False
    cut: bool = False
    drawn: Drawn | None = None


def shares(count: int, weights: tuple[int, ...]) -> Ints:
    """Whole numbers in proportion to the weights, at least one each.

    >>> shares(1918, (3498, 184, 56, 1057)).tolist()
    [1399, 74, 22, 423]
    """
    exact = np.asarray(weights) * count / sum(weights)
    return np.maximum(1, exact.round()).astype(np.int64)

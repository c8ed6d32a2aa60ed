"""What is known of generated data by construction, to be shown beside what is found in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Best:
    """The best that anybody can do who knows the features and nothing else; no method or probe exceeds it."""

    accuracy: float
    balanced_accuracy: float
    auc: float

    def score(self, name: Literal["accuracy", "balanced_accuracy", "auc"]) -> float:
        """One score by its name."""
        found: float = getattr(self, name)
        return found


@dataclass(frozen=True)
class KnownColumn:
    """One feature: in which way it leaks (empty where it does not), with which other, and whether it tells the outcome.

    `auc` is how well the attribute can be guessed from it alone, at best.
    """

    name: str
    way: str
    partner: str | None
    auc: float
    tells_outcome: bool


@dataclass(frozen=True)
class KnownGroup:
    """Of one group, the share with the outcome, and the share that the best prediction of it selects."""

    outcome: float
    selected: float


@dataclass(frozen=True)
class Known:
    """The truth of one generated source: its columns in order, the ceilings, its groups.

    Where columns were left out, `guessed` is from those that are left; `predicted` and `groups` are from all.
    """

    attribute: str
    columns: tuple[KnownColumn, ...]
    guessed: Best
    predicted: Best
    groups: Mapping[str, KnownGroup]
    left_out: bool

    @property
    def leaking(self) -> tuple[str, ...]:
        """The columns that leak."""
        return tuple(one.name for one in self.columns if one.way)

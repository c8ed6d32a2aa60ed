"""People: everybody's scores, decisions, label, attributes, weights and factors, row by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from diffoci.audit.decisions.grouping import Grouping, group_by
from diffoci.data.dataset import content_sha256
from diffoci.inputs import Floats, Ints
from diffoci.model_audit.result import Basis, LabelKind, Scale
from diffoci.model_audit.spec import ModelSettings

if TYPE_CHECKING:  # brings scipy, and a list of runs needs none
    from diffoci.kept_graphs import KeptGraphs


@dataclass(frozen=True)
class About:
    """Where the rows come from."""

    name: str
    title: str
    real: bool = True
    source: str = ""
    licence: str = "not stated"
    citation: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Model:
    """A model's score, its recorded decision (1 is selected), or both."""

    name: str
    score: Floats | None = None
    scale: Scale | None = None
    decision: Ints | None = None
    score_name: str | None = None
    decision_name: str | None = None

    @cached_property
    def order(self) -> Ints:
        """Rows from the lowest score to the highest."""
        return np.argsort(np.asarray(self.score)).astype(np.int64)

    @cached_property
    def values(self) -> tuple[Floats, Ints]:
        """The different scores, sorted, and everybody's place among them."""
        score = np.asarray(self.score)[self.order]
        new = np.r_[True, score[1:] != score[:-1]]
        place = np.empty(len(score), dtype=np.int64)
        place[self.order] = np.cumsum(new) - 1
        return score[new], place


@dataclass(frozen=True, eq=False)
class Outcome:
    """What happened to everybody: 0 and 1, or a quantity."""

    name: str
    kind: LabelKind
    values: Floats
    positive: str | None = None

    @cached_property
    def codes(self) -> Ints:
        """As 0 and 1."""
        return self.values.astype(np.int64)


@dataclass(frozen=True, eq=False)
class People:
    """The rows of an audit.

    Parameters
    ----------
    groups : DataFrame
        Attributes of groups, categorical, none missing.
    numbers : DataFrame
        Attributes that are numbers.
    factors : DataFrame
        What may justify a difference, categorical.
    features : DataFrame
        What the model may have looked at.
    """

    models: tuple[Model, ...]
    groups: pd.DataFrame
    numbers: pd.DataFrame
    outcome: Outcome | None = None
    weights: Floats | None = None
    factors: pd.DataFrame = field(default_factory=lambda: pd.DataFrame())
    features: pd.DataFrame = field(default_factory=lambda: pd.DataFrame())
    about: About = field(default_factory=lambda: About("table", "table"))

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes, those of groups first."""
        return (*map(str, self.groups.columns), *map(str, self.numbers.columns))

    def grouped(self, attributes: tuple[str, ...]) -> Grouping:
        """Everybody's group by these attributes, found once."""
        if attributes not in self._groupings:
            self._groupings[attributes] = group_by(self.groups, attributes)
        return self._groupings[attributes]

    @cached_property
    def graphs(self) -> KeptGraphs:
        """Which rows of the score are near each other, the same for every attribute."""
        from diffoci.kept_graphs import KeptGraphs

        return KeptGraphs()

    @property
    def groupings(self) -> list[Grouping]:
        """By every attribute alone, and last by all of them crossed where there are several."""
        names = tuple(map(str, self.groups.columns))
        alone = [self.grouped((name,)) for name in names]
        return alone if len(names) < 2 else [*alone, self.grouped(names)]

    @cached_property
    def _groupings(self) -> dict[tuple[str, ...], Grouping]:
        return {}

    def model(self, name: str) -> Model:
        """One model by its name."""
        return next(one for one in self.models if one.name == name)

    @property
    def two_classes(self) -> Ints | None:
        """The outcome where it is yes or no."""
        return None if self.outcome is None or self.outcome.kind != "classes" else self.outcome.codes

    @cached_property
    def sha256(self) -> str:
        """Digest of every value that has a role."""
        columns: dict[str, object] = {}
        for one in self.models:
            columns |= {f"score {one.name}": one.score} if one.score is not None else {}
            columns |= {f"decision {one.name}": one.decision} if one.decision is not None else {}
        if self.weights is not None:
            columns["weights"] = self.weights
        beside = pd.DataFrame(columns, index=self.groups.index)
        frames = {"factor": self.factors, "feature": self.features, "number": self.numbers}
        used = pd.concat([beside, *(frame.add_prefix(f"{role} ") for role, frame in frames.items())], axis=1)
        label = np.zeros(len(self)) if self.outcome is None else self.outcome.values
        return content_sha256(used, pd.Series(label, name="label"), self.groups)


def check_reference(people: People, settings: ModelSettings) -> None:
    """Refuse a reference that no attribute has as a group, in a sentence."""
    names = [name for groups in people.groupings for name in groups.labels]
    if settings.reference not in ("largest", "overall", *names) and names:
        shown = ", ".join(names[:20])
        raise ValueError(f"There is no group '{settings.reference}' to compare with; choose largest, overall, {shown}.")


@dataclass(frozen=True)
class Decided:
    """Who is selected, and what decided it: the recorded decision, a threshold, or half of a plain score."""

    selected: Ints | None
    basis: Basis
    threshold: float | None = None


def decided(model: Model, settings: ModelSettings) -> Decided:
    """Say who is selected under a model.

    >>> one = Model("m", score=np.array([0.2, 0.5, 0.9]), scale="probability")
    >>> decided(one, ModelSettings()).selected, decided(one, ModelSettings(threshold=0.6)).selected
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    score = model.score
    if settings.threshold is not None and score is not None:
        return Decided((score >= settings.threshold).astype(np.int64), "threshold", settings.threshold)
    if model.decision is not None:
        return Decided(model.decision, "recorded")
    if score is None or model.scale == "quantity":
        return Decided(None, "none")
    if model.scale == "probability":
        return Decided((score >= 0.5).astype(np.int64), "threshold", 0.5)
    half = float(np.median(score))
    return Decided((score >= half).astype(np.int64), "half", half)

"""What a run of the feature lab found, typed: every repetition of every selector, and what follows over them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from diffoci.audit.kinds import (
    MOST_FEATURES,
    MOST_METHODS,
    MOST_SEEDS,
    Count,
    Names,
    Number,
    Positive,
    Seed,
    Share,
    Stored,
    Text,
)
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.result import Mean
from diffoci.labs.feature_selection.problem import Kind
from diffoci.labs.feature_selection.spec import TABLE, LabSpec
from diffoci.runs.study import Result

Features = Annotated[tuple[Count, ...], Meta(max_length=MOST_FEATURES)]
Weights = Annotated[tuple[Number, ...], Meta(max_length=MOST_FEATURES)]


class Repetition(Stored, frozen=True, kw_only=True):
    """One draw or split: scores on test rows, and what was selected.

    `columns` is the width of what y was predicted from, `theta` the last weights, `T` the soft coefficient of the
    training rows, `chosen` what validation rows chose.
    """

    seed: Seed
    scores: Annotated[dict[Text, Number], Meta(max_length=10)]
    selected: Features | None
    columns: Count
    seconds: Positive
    theta: Weights | None = None
    T: Number | None = None
    chosen: Text = ""


class MethodOutcome(Stored, frozen=True, kw_only=True):
    """One selector over all repetitions.

    `scores` are means by measure, `size` that of the features selected, `frequency` how often each feature was.
    `stability` is that of Nogueira, Sechidis and Brown (2018): 1 where every repetition selects the same, 0 where they
    agree as chance does. `tests` says that a test decides how many it keeps. `exact` is the share of repetitions that
    selected the features y was made from, and no other.
    """

    name: Text
    title: Text
    description: Text
    family: Text
    tests: bool
    beta: Number | None
    scores: Annotated[dict[Text, Mean], Meta(max_length=10)]
    seconds: Mean
    size: Mean
    T: Mean
    stability: Number | None
    frequency: Annotated[tuple[Share, ...], Meta(max_length=MOST_FEATURES)] | None
    exact: Share | None
    repetitions: Annotated[tuple[Repetition, ...], Meta(max_length=MOST_SEEDS)]

    @property
    def label(self) -> str:
        """The name that tells it apart: the title, and beta where several were tried."""
        return self.title if self.beta is None else f"{self.title}, beta {self.beta:g}"


class ThetaPath(Stored, frozen=True, kw_only=True):
    """The weights of features by epoch, of the first repetition of a selector that has them."""

    method: Text
    seed: Seed
    epochs: Annotated[tuple[Count, ...], Meta(max_length=1000)]
    features: Features
    theta: Annotated[tuple[Weights, ...], Meta(max_length=1000)]


class LabResult(Result, frozen=True, kw_only=True):
    """What was found: the problem, every selector, weights by epoch.

    `truth` are the features that y was made from, where that is known. `rows` are those of one draw, or of the table;
    `sha256` is of their content.
    """

    spec: LabSpec
    title: Text
    about: Text
    kind: Kind
    measure: Text
    real: bool
    rows: Count
    features: Names
    truth: Features | None
    methods: Annotated[tuple[MethodOutcome, ...], Meta(max_length=MOST_METHODS * 50)]
    paths: Annotated[tuple[ThetaPath, ...], Meta(max_length=MOST_METHODS)] = ()
    notes: Annotated[tuple[Text, ...], Meta(max_length=200)] = ()
    sha256: Text = ""
    versions: Annotated[dict[Text, Text], Meta(max_length=100)]
    seconds: Positive

    def find(self, name: str) -> MethodOutcome | None:
        """A selector by its name, with the first beta; None where it has no result."""
        return next((one for one in self.methods if one.name == name), None)

    def method(self, name: str) -> MethodOutcome:
        """A selector by its name, with the first beta."""
        if (found := self.find(name)) is None:
            raise ValueError(f"{self.title} has no result of {name[:60]!r}.")
        return found

    def more(self, one: MethodOutcome, other: MethodOutcome) -> Mean:
        """By how much the error of one selector is larger than another's on the same draws or splits.

        Errors of draws differ more than selectors do, so this tells apart what two intervals do not.
        """
        known = {entry.seed: entry.scores[self.measure] for entry in other.repetitions}
        pairs = [(entry.scores[self.measure], known.get(entry.seed)) for entry in one.repetitions]
        less = [None if that is None else this - that for this, that in pairs]
        # Splits of one table share rows, and their intervals allow for it; draws share none.
        return mean_over_seeds(less) if self.spec.problem == TABLE else mean_over_seeds(less, test_share=0.0)

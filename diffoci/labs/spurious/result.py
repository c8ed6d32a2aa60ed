"""What a run of the lab found, typed: every repetition of every method, and what follows over them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from diffoci.audit.kinds import MOST_SEEDS, Count, Names, Number, Positive, Seed, Share, Stored, Text
from diffoci.audit.result import Mean
from diffoci.labs.spurious.spec import SpuriousSpec
from diffoci.runs.study import Result

Stage = Literal["methods", "lambda", "beta"]
Shares = Annotated[tuple[Share | None, ...], Meta(max_length=10_000)]


class CellSize(Stored, frozen=True, kw_only=True):
    """How many rows one label has in one group, in the first repetition."""

    label: Text
    group: Text
    train: Count
    validation: Count
    test: Count

    @property
    def name(self) -> str:
        return f"{self.label}, {self.group}"


class Repetition(Stored, frozen=True, kw_only=True):
    """One training: what it reached on test rows, and what its features know.

    `cells` are the shares predicted right of every label in every group, `rows` its test rows, `refitted` the shares
    of a last layer fitted anew on balanced validation rows. `saliency` is the share of saliency on the object, beside
    `area`, that of its pixels. `guessed` is the AUC of the strongest probe that guesses the group from the features,
    `T` and `T_given_label` the coefficients of the group on them. `held` is the worst group's on validation rows, in
    the `epoch` that was kept.
    """

    seed: Seed
    epoch: Count
    cells: Shares
    refitted: Shares
    held: Share
    average: Share
    rows: Annotated[tuple[Count, ...], Meta(max_length=10_000)] = ()
    saliency: Share | None = None
    area: Share | None = None
    guessed: Share | None = None
    probe: Text = ""
    T: Number | None = None
    T_given_label: Number | None = None
    seconds: Positive = 0.0


class Outcome(Stored, frozen=True, kw_only=True):
    """One method over all repetitions, with the weight and sharpness of its penalty where it has one."""

    name: Text
    title: Text
    description: Text
    stage: Stage
    penalty: Number | None
    beta: Number | None
    average: Mean
    average_by_training_groups: Mean
    worst_group: Mean
    worst_group_refitted: Mean
    held: Mean
    cells: Annotated[tuple[Mean, ...], Meta(max_length=10_000)]
    saliency_on_object: Mean
    group_guessed_from_features: Mean
    T: Mean
    T_given_label: Mean
    repetitions: Annotated[tuple[Repetition, ...], Meta(max_length=MOST_SEEDS)]


class SpuriousResult(Result, frozen=True, kw_only=True):
    """What was found: the groups, every method, and the studies of lambda and beta.

    `fresh` says whether repetitions share no rows; where they do, intervals are widened by `overlap`.
    """

    spec: SpuriousSpec
    title: Text
    about: Text
    label_name: Text
    group_name: Text
    real: bool
    fresh: bool
    overlap: Number = 0.1 / 0.75  # of results from before it was kept
    images: bool
    sha256: Text
    sizes: Annotated[tuple[CellSize, ...], Meta(max_length=10_000)]
    area: Mean
    outcomes: Annotated[tuple[Outcome, ...], Meta(max_length=10_000)]
    notes: Names = ()
    versions: Annotated[dict[Text, Text], Meta(max_length=100)]
    seconds: Positive

    @property
    def methods(self) -> tuple[Outcome, ...]:
        """What was trained with the usual lambda and beta."""
        return tuple(one for one in self.outcomes if one.stage == "methods")

    def find(self, name: str) -> Outcome | None:
        """A method by its name; None where it has no result."""
        return next((one for one in self.methods if one.name == name), None)

    def along(self, stage: Stage) -> tuple[Outcome, ...]:
        """What was trained along lambda or beta, in that order."""
        found = [one for one in self.outcomes if one.stage == stage]
        return tuple(sorted(found, key=lambda one: (one.penalty or 0) if stage == "lambda" else (one.beta or 0)))

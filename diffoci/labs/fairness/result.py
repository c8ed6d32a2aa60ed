"""What a run of the fairness tables found, typed: accuracies by part of the rows, log-losses by column."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta

from diffoci.audit.kinds import MOST_ATTRIBUTES, MOST_METHODS, Count, Names, Positive, Stored, Text
from diffoci.audit.result import Condition, Mean
from diffoci.labs.fairness.spec import FairnessSpec
from diffoci.runs.study import Result

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = get_args(Part)


class Parts(Stored, frozen=True, kw_only=True):
    """An accuracy on the rows of each part, in per cent; `majority` is that of the commonest class on test rows."""

    train: Mean
    validation: Mean
    test: Mean
    majority: Mean

    def of(self, part: Part) -> Mean:
        """The accuracy on one part."""
        found: Mean = getattr(self, part)
        return found


class NetworkOutcome(Stored, frozen=True, kw_only=True):
    """One representation: how well its network predicts y, and the attribute is guessed from its last layer."""

    method: Text
    attribute: Text
    y: Parts
    sensitive: Parts


class ColumnOutcome(Stored, frozen=True, kw_only=True):
    """One selector before a logistic regression, on test rows; `kept` are features, where it keeps some."""

    name: Text
    hard_log_loss: Mean
    log_loss: Mean
    accuracy: Mean
    kept: Mean


class FairnessResult(Result, frozen=True, kw_only=True):
    """Networks, columns and weights of features for one data set."""

    spec: FairnessSpec
    title: Text
    real: bool
    rows: Count
    features: Names
    networks: Annotated[tuple[NetworkOutcome, ...], Meta(max_length=MOST_METHODS)]
    columns: Annotated[tuple[ColumnOutcome, ...], Meta(max_length=MOST_METHODS)]
    weights: Annotated[tuple[Condition, ...], Meta(max_length=MOST_ATTRIBUTES + 2)]
    sha256: Text = ""
    versions: Annotated[dict[Text, Text], Meta(max_length=100)]
    seconds: Positive

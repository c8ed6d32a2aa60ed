"""Roles and settings of a model audit, and the specification that holds them, frozen and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from diffoci.audit.decisions.decide import DecisionSettings
from diffoci.audit.kinds import Number, Seed, Stored, Text
from diffoci.audit.verdicts import FEWEST_ROWS
from diffoci.runs.study import Spec

Columns = Annotated[tuple[Text, ...], Meta(max_length=1000)]
Reference = Literal["largest", "overall"] | Text


class Roles(Stored, frozen=True, kw_only=True, omit_defaults=True):
    """Which column is what.

    Parameters
    ----------
    scores, decisions : tuple of str
        Columns of one or several models; the first decision belongs to the first score, and so on. What is left over
        is a model of its own.
    selected : tuple of str
        The values of the decisions that count as selected; else whichever of two reads as a yes.
    label, positive : str, optional
        What happened, and the value of it that counts; without `positive` a number of many values is a quantity.
    sensitive : tuple of str
        Attributes. Numbers of many values are kept as numbers, not cut into bands.
    weights : str, optional
        How many people of the population each row stands for.
    factors : tuple of str
        What may justify a difference.
    features : tuple of str
        What the model may have looked at.
    """

    scores: Columns = ()
    decisions: Columns = ()
    selected: Columns = ()
    label: Text | None = None
    positive: Text | None = None
    sensitive: Columns = ()
    weights: Text | None = None
    factors: Columns = ()
    features: Columns = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that has a role, once."""
        alone = [name for name in (self.label, self.weights) if name is not None]
        named = (*self.scores, *self.decisions, *alone, *self.sensitive, *self.factors, *self.features)
        return tuple(dict.fromkeys(named))


class ModelSettings(Stored, frozen=True, kw_only=True):
    """What decides the numbers beside the rows.

    Parameters
    ----------
    threshold : float, optional
        People with a score of at least this are selected. Without it the recorded decision counts, then 0.5 for a
        probability, then the median of a plain score.
    reference : str
        Whom groups are compared with: "largest", "overall", or the name of a group.
    minimum : int
        Groups of fewer people are listed and not judged; strata of factors are left out.
    rows, permutations : int
        The most rows, drawn at random, that coefficients are computed on, and how often they are shuffled.
    replicates, seed, confidence
        Of bootstraps and intervals.
    """

    threshold: Number | None = None
    reference: Reference = "largest"
    minimum: Annotated[int, Meta(ge=1, le=10**6)] = FEWEST_ROWS
    rows: Annotated[int, Meta(ge=50, le=100_000)] = 2500
    permutations: Annotated[int, Meta(ge=19, le=9999)] = 99
    replicates: Annotated[int, Meta(ge=100, le=20_000)] = 1000
    seed: Seed = 0
    confidence: Annotated[float, Meta(ge=0.5, le=0.999)] = 0.95

    @property
    def of_decisions(self) -> DecisionSettings:
        """What the comparison of groups takes of them."""
        return DecisionSettings(
            minimum=self.minimum, replicates=self.replicates, seed=self.seed, confidence=self.confidence
        )


class SecondFile(Stored, frozen=True, kw_only=True):
    """A file with further columns, attributes for example, and the key columns that say which row belongs to whom."""

    file: Text
    keys: Columns


class ModelAuditSpec(Spec, frozen=True, kw_only=True):
    """What to audit and how.

    `data` and `options` are those of `diffoci.data.sources`; `joined` is a second file; `model_file` an ONNX file that
    scores the rows; `answers` are those of the guide, by question.
    """

    data: str
    options: Mapping[str, Any] = field(default_factory=dict)
    roles: Roles
    settings: ModelSettings = ModelSettings()
    joined: SecondFile | None = None
    model_file: Text | None = None
    answers: Annotated[dict[Text, Text], Meta(max_length=20)] = field(default_factory=dict)

"""LabSpec: what to select features from, with which selectors, how often; frozen and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, field

from diffoci.audit.kinds import MOST_METHODS, MOST_SEEDS, Seed, Text
from diffoci.labs.feature_selection.table import OutcomeKind
from diffoci.runs.study import Spec

TABLE = "table"
FIRST_TABLE = "breast-cancer"  # what the form proposes
BETA = 5.0
BETAS = (1e-5, 1e-3, 0.1, 1.0, 5.0, 100.0, 1e5, 1e7)  # of the paper's study, and 0.1
# Settings were tried on seeds from 0 on, and settled on validation rows of seeds from 5,000 on.
_FIRST_REPORTED = 10_000
Beta = Annotated[float, Meta(gt=0, le=1e9)]


class LabSpec(Spec, frozen=True, kw_only=True):
    """What to select features from and how.

    Parameters
    ----------
    problem : str
        A generated problem, or "table" for a data source.
    knobs : mapping
        Options of a generated problem.
    data, options, outcome, outcome_kind
        A data source, its options, the column to predict (that of the source where none is named), and whether it
        holds classes or numbers.
    methods : tuple of str
        Names of selectors.
    seeds : tuple of int
        Every seed is a draw of a generated problem, or a split of a table, and a start of what is trained.
    betas : tuple of float
        Sharpness of soft neighbours; difFOCI is trained with each.
    epochs : int, optional
        Of difFOCI, where not those of the problem.
    """

    problem: Text = TABLE
    knobs: Mapping[str, Any] = field(default_factory=dict)
    data: Text = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    outcome: Text = ""
    outcome_kind: OutcomeKind = "auto"
    methods: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=MOST_METHODS)]
    seeds: Annotated[tuple[Seed, ...], Meta(min_length=1, max_length=MOST_SEEDS)]
    betas: Annotated[tuple[Beta, ...], Meta(min_length=1, max_length=50)] = (BETA,)
    epochs: Annotated[int, Meta(ge=1, le=100_000)] | None = None


def reported_seeds(count: int) -> tuple[int, ...]:
    """Seeds of so many draws or splits on which no setting was tried."""
    return tuple(range(_FIRST_REPORTED, _FIRST_REPORTED + count))

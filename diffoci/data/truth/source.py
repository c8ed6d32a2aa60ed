"""Data whose truth is known: how a group leaks into features, and the best any model can do, by construction.

A group S (1 with probability `group_share`) leaves traces in three ways, each with its own knob:

- linear: the feature's mean is `linear` standard deviations higher where S = 1,
- variance: the mean is the same, the standard deviation is `exp(variance)` times as large where S = 1,
- interaction: two features, each standard normal whatever S is, whose correlation is `+interaction` where
  S = 1 and `-interaction` where S = 0. Neither says anything about S alone, nor does any linear probe.

The label is `y = 1{signal(useful features) + direct * (S - 1/2) + noise * logistic > 0}`, so useful
features predict it, and with `direct` above 0 the traces of S help as well: the price of removing them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.data._generated_size import check_generated_size
from diffoci.data.dataset import Column, Dataset
from diffoci.data.source import Card, Example, Source
from diffoci.data.truth.draw import GROUPS, draw, log_ratios, outcome_of_group
from diffoci.data.truth.knobs import OPTIONS, PAIR, ROWS, Floats, Knobs
from diffoci.data.truth.known import known, known_truth

__all__ = ["GROUPS", "PAIR", "SOURCE", "Knobs", "Truth", "make_truth", "posteriors"]
OUTCOME = "y"
LICENCE, CITATION = "MIT", "Generated; no source to cite."


@dataclass(frozen=True, eq=False)
class Truth:
    """A generated dataset with everything a teacher or a test may want to check a method against.

    `bayes_*` are the accuracy and the AUC of the best possible prediction *from the features alone*
    (S itself is never a feature), over the population, not this sample.
    """

    dataset: Dataset
    knobs: Knobs
    leaking: tuple[str, ...]
    how: Mapping[str, str]
    bayes_y_accuracy: float
    bayes_s_accuracy: float
    bayes_y_auc: float
    bayes_s_auc: float


def make_truth(
    *,
    rows: int = ROWS.default,
    linear: float = Knobs.linear,
    variance: float = Knobs.variance,
    interaction: float = Knobs.interaction,
    direct: float = Knobs.direct,
    group_share: float = Knobs.group_share,
    noise: float = Knobs.noise,
    useful: int = Knobs.useful,
    irrelevant: int = Knobs.irrelevant,
    seed: int = 0,
) -> Truth:
    """Generate data with known leakage.

    Parameters
    ----------
    rows : int
        Number of rows.
    linear, variance, interaction : float
        How strongly S enters the features, see the module's first lines. 0 switches a way off; with all
        three at 0 every feature is independent of S.
    direct : float
        How much y depends on S itself, in units of the useful signal's standard deviation.
    group_share : float
        Share of rows with S = 1 (group "B").
    noise : float
        Scale of the logistic noise in y, in the same units.
    useful, irrelevant : int
        Numbers of features that predict y and not S, and that predict neither.
    seed : int
        The same seed gives the same table.

    Examples
    --------
    >>> truth = make_truth(rows=100, linear=0, variance=0, interaction=0.9)
    >>> truth.leaking
    ('interaction_a', 'interaction_b')
    """
    ROWS.check(rows)
    knobs = Knobs(linear, variance, interaction, direct, group_share, noise, useful, irrelevant)
    check_generated_size("Known-truth data", rows, len(PAIR) + 2 + useful + irrelevant)
    features, group, label = draw(knobs, rows, np.random.default_rng(seed))
    best = known(knobs)
    return Truth(
        dataset=_dataset(knobs, features, group, label),
        knobs=knobs,
        leaking=tuple(knobs.how),
        how=knobs.how,
        bayes_y_accuracy=best.predicted.accuracy,
        bayes_s_accuracy=best.guessed.accuracy,
        bayes_y_auc=best.predicted.auc,
        bayes_s_auc=best.guessed.auc,
    )


def posteriors(features: pd.DataFrame, knobs: Knobs) -> tuple[Floats, Floats]:
    """Return P(S = 1 | features) and P(y = 1 | features), from the densities the data were drawn from.

    Given S the features are independent blocks, so the log-odds of S are the prior's plus one
    log-likelihood ratio a block; y then averages over the two values of S.
    """
    from scipy.special import expit, logit  # slow to import, and sources are listed without it

    group = expit(logit(knobs.group_share) + sum(log_ratios(features, knobs).values()))
    if_zero, if_one = outcome_of_group(features, knobs)
    return group, group * if_one + (1 - group) * if_zero


def _dataset(knobs: Knobs, features: pd.DataFrame, group: NDArray[np.int64], label: NDArray[np.int64]) -> Dataset:
    leaking = ", ".join(f"{name} ({way})" for name, way in knobs.how.items()) or "none"
    columns = tuple(Column(name, "number", name) for name in map(str, features))
    return Dataset(
        name="truth",
        title="Known truth (generated)",
        features=features,
        columns=columns,
        label=pd.Series(label, name="y"),
        label_name=OUTCOME,
        label_classes=("0", "1"),
        sensitive=pd.DataFrame({"group": pd.Categorical(np.take(GROUPS, group), categories=list(GROUPS))}),
        real=False,
        source="Generated by diffoci.data.truth",
        licence=LICENCE,
        citation=CITATION,
        notes=(
            "Generated with known truth: no row describes a person.",
            f"Features that leak by construction: {leaking}.",
        ),
    )


def load_truth(*, sensitive: Sequence[str], **knobs: Any) -> Dataset:
    """Generate known-truth data as a source, whose one attribute is there whether it is asked for or not."""
    return make_truth(**knobs).dataset


SOURCE = Source(
    name="truth",
    title="Known truth",
    summary="generated data whose leakage is known by construction",
    licence=LICENCE,
    citation=CITATION,
    simulated=True,
    sensitive=("group",),
    default_sensitive=("group",),
    options=OPTIONS,
    load=load_truth,
    outcome=lambda _: OUTCOME,
    example=Example(
        "Run a 30-second audit of data whose truth is known",
        "Watch guessing fall to chance while the outcome is still predicted",
        # y owes nothing to the group, so that it need not cost anything to lose it. Four repetitions of so many people
        # take no longer than three splits of 5,000, and know what becomes of y better: within 2.5 points for the method
        # to speak of first, not 8. (In draws of 2,500 or 2,000 people chance favours one group.)
        {"rows": 3000, "direct": 0.0},
        repetitions=4,
        place=1,
    ),
    known=known_truth,
    card=Card(
        ":material/target:",
        "Generated people whose leakage is known by construction: check what an audit finds against what is there.",
        button="Generate",
        place=5,
    ),
)

"""Data whose truth is known: how a group leaks into features, and the best any model can do, by construction.

A group S (1 with probability `group_share`) leaves traces in three ways, each with its own knob:

- linear: the feature's mean is `linear` standard deviations higher where S = 1,
- variance: the mean is the same, the standard deviation is `exp(variance)` times as large where S = 1,
- interaction: two features, each standard normal whatever S is, whose correlation is `+interaction` where
  S = 1 and `-interaction` where S = 0. Neither says anything about S alone, nor does any linear probe.

The label is `y = 1{signal(harmless features) + direct * (S - 1/2) + noise * logistic > 0}`, so harmless
features predict it, and with `direct` above 0 the traces of S help as well: the price of removing them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from diffoci.data.dataset import Column, Dataset
from diffoci.data.generated_size import check_generated_size

Floats = NDArray[np.float64]

PAIR = ("interaction_a", "interaction_b")
GROUPS = ("A", "B")
MOST_FEATURES = 100  # harmless ones, and irrelevant ones
_MONTE_CARLO_ROWS = 200_000


@dataclass(frozen=True)
class Knobs:
    """What was turned on: the whole truth except for the random draw."""

    linear: float = 1.0
    variance: float = 1.0
    interaction: float = 0.9
    direct: float = 1.0
    group_share: float = 0.4
    noise: float = 0.5
    harmless: int = 3
    irrelevant: int = 2

    def __post_init__(self) -> None:
        problems = {
            "interaction is a correlation: choose a value above -1 and below 1": not abs(self.interaction) < 1,
            "group_share is a proportion: choose it above 0 and below 1": not 0 < self.group_share < 1,
            "noise must be above 0; small values make y nearly certain": not self.noise > 0,
            "harmless must be at least 1, or nothing predicts y": self.harmless < 1,
            "irrelevant must be at least 0": self.irrelevant < 0,
            f"harmless and irrelevant can be {MOST_FEATURES} at most": max(self.harmless, self.irrelevant)
            > MOST_FEATURES,
            "linear, variance and direct must be finite numbers": not bool(
                np.isfinite([self.linear, self.variance, self.direct]).all()
            ),
        }
        for sentence, wrong in problems.items():
            if wrong:
                raise ValueError(f"Known-truth data: {sentence}.")

    @property
    def how(self) -> dict[str, str]:
        """Features that leak, each with the way it does."""
        how = {"linear": "linear"} if self.linear else {}
        if self.variance:
            how["variance"] = "variance"
        if self.interaction:
            how.update(dict.fromkeys(PAIR, "interaction"))
        return how

    @property
    def harmless_names(self) -> list[str]:
        return [f"harmless_{k + 1}" for k in range(self.harmless)]

    def signal(self, features: pd.DataFrame) -> Floats:
        """Return the part of the label's score that harmless features carry (standard normal)."""
        weights = 1.0 / np.arange(1, self.harmless + 1)
        return features[self.harmless_names].to_numpy() @ (weights / np.linalg.norm(weights))


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
    rows: int = 4000,
    linear: float = 1.0,
    variance: float = 1.0,
    interaction: float = 0.9,
    direct: float = 1.0,
    group_share: float = 0.4,
    noise: float = 0.5,
    harmless: int = 3,
    irrelevant: int = 2,
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
        How much y depends on S itself, in units of the harmless signal's standard deviation.
    group_share : float
        Share of rows with S = 1 (group "B").
    noise : float
        Scale of the logistic noise in y, in the same units.
    harmless, irrelevant : int
        Numbers of features that predict y and not S, and that predict neither.
    seed : int
        The same seed gives the same table.

    Examples
    --------
    >>> truth = make_truth(rows=100, linear=0, variance=0, interaction=0.9)
    >>> truth.leaking
    ('interaction_a', 'interaction_b')
    """
    if rows < 2:
        raise ValueError(f"Known-truth data: rows must be at least 2, got {rows}.")
    knobs = Knobs(linear, variance, interaction, direct, group_share, noise, harmless, irrelevant)
    check_generated_size("Known-truth data", rows, len(PAIR) + 2 + harmless + irrelevant)
    features, group, label = _draw(knobs, rows, np.random.default_rng(seed))
    return Truth(
        dataset=_dataset(knobs, features, group, label),
        knobs=knobs,
        leaking=tuple(knobs.how),
        how=knobs.how,
        **_bayes(knobs),
    )


def posteriors(features: pd.DataFrame, knobs: Knobs) -> tuple[Floats, Floats]:
    """Return P(S = 1 | features) and P(y = 1 | features), from the densities the data were drawn from.

    Given S the features are independent blocks, so the log-odds of S are the prior's plus one
    log-likelihood ratio a block; y then averages over the two values of S.
    """
    log_odds = logit(knobs.group_share) + sum(_log_ratios(features, knobs))
    group = expit(log_odds)
    signal = knobs.signal(features)
    if_one = expit((signal + knobs.direct / 2) / knobs.noise)
    if_zero = expit((signal - knobs.direct / 2) / knobs.noise)
    return group, group * if_one + (1 - group) * if_zero


def _log_ratios(features: pd.DataFrame, knobs: Knobs) -> tuple[Floats, Floats, Floats]:
    linear, spread, a, b = (features[name].to_numpy() for name in ("linear", "variance", *PAIR))
    narrow, wide = np.exp(-knobs.variance), np.exp(knobs.variance)  # sd**2 is exp(-+variance)
    rho = knobs.interaction
    return (
        knobs.linear * linear,
        -knobs.variance + spread**2 * (1 / narrow - 1 / wide) / 2,
        # Both correlations have the same determinant; only the cross term differs in sign.
        2 * rho * a * b / (1 - rho**2),
    )


def _draw(
    knobs: Knobs, rows: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.int64]]:
    group = (rng.random(rows) < knobs.group_share).astype(np.int64)
    sign = 2.0 * group - 1.0
    a, other = rng.standard_normal((2, rows))
    rho = sign * knobs.interaction
    columns = {
        "linear": sign * knobs.linear / 2 + rng.standard_normal(rows),
        "variance": np.exp(sign * knobs.variance / 2) * rng.standard_normal(rows),
        PAIR[0]: a,
        PAIR[1]: rho * a + np.sqrt(1 - rho**2) * other,
    }
    for name in (*knobs.harmless_names, *(f"irrelevant_{k + 1}" for k in range(knobs.irrelevant))):
        columns[name] = rng.standard_normal(rows)
    features = pd.DataFrame(columns)
    score = knobs.signal(features) + sign * knobs.direct / 2 + knobs.noise * rng.logistic(size=rows)
    return features, group, (score > 0).astype(np.int64)


def _bayes(knobs: Knobs) -> dict[str, float]:
    """Average the exact posteriors over a large sample of features.

    Monte Carlo enters only through the features: given them, accuracy and AUC are averaged over S and
    y exactly, so the standard error is below 0.0005. The sample is fixed: same knobs, same numbers.
    """
    features, _, _ = _draw(knobs, _MONTE_CARLO_ROWS, np.random.default_rng(20_240_501))
    group, label = posteriors(features, knobs)
    return {
        "bayes_y_accuracy": _accuracy(label),
        "bayes_s_accuracy": _accuracy(group),
        "bayes_y_auc": _auc(label),
        "bayes_s_auc": _auc(group),
    }


def _accuracy(probability: Floats) -> float:
    return float(np.maximum(probability, 1 - probability).mean())


def _auc(probability: Floats) -> float:
    """Chance that a positive scores above a negative, each row counted as both with its own odds."""
    level = np.unique(probability, return_inverse=True)[1]
    positive = np.bincount(level, weights=probability)
    negative = np.bincount(level, weights=1 - probability)
    below = np.cumsum(negative) - negative
    return float(positive @ (below + negative / 2) / (positive.sum() * negative.sum()))


def _dataset(knobs: Knobs, features: pd.DataFrame, group: NDArray[np.int64], label: NDArray[np.int64]) -> Dataset:
    how = knobs.how
    columns = tuple(Column(name, "number", _label(name)) for name in map(str, features))
    return Dataset(
        name="truth",
        title="Known truth (generated)",
        features=features,
        columns=columns,
        label=pd.Series(label, name="y"),
        label_name="y",
        label_classes=("0", "1"),
        sensitive=pd.DataFrame({"group": pd.Categorical(np.take(GROUPS, group), categories=list(GROUPS))}),
        real=False,
        source="Generated by diffoci.data.truth",
        licence="MIT",
        citation="Generated; no source to cite.",
        notes=(
            "Generated with known truth: no row describes a person.",
            "Features that leak by construction: "
            + (", ".join(f"{name} ({way})" for name, way in how.items()) or "none")
            + ".",
        ),
    )


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()

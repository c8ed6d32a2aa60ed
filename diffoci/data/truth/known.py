"""Known-truth data: what is there, from the densities that the people were drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from diffoci.data.known import Best, Known, KnownColumn, KnownGroup
from diffoci.data.truth.draw import GROUPS, draw, log_ratios, outcome_of_group
from diffoci.data.truth.knobs import PAIR, Floats, Knobs

WAYS = {"linear": "in the mean", "variance": "in the spread", "interaction": "only together"}
_MONTE_CARLO_ROWS = 200_000
_HALF = 0.5


def known_truth(*, drop: str | Sequence[str] = (), **options: Any) -> Known:
    """What is known under these options of the source, with some columns left out."""
    knobs = Knobs(**{name: value for name, value in options.items() if name in Knobs.__dataclass_fields__})
    return known(knobs, frozenset((drop,) if isinstance(drop, str) else drop))


@lru_cache(maxsize=64)
def known(knobs: Knobs, drop: frozenset[str] = frozenset()) -> Known:
    """Average the exact posteriors over a large sample of features.

    Monte Carlo enters only through the features: given them, scores are averaged over S and y exactly, so the standard
    error is below 0.0005. The sample is fixed: same knobs, same numbers.
    """
    from scipy.special import expit, logit  # slow to import, and sources are listed without it

    features, _, _ = draw(knobs, _MONTE_CARLO_ROWS, np.random.default_rng(20_240_501))
    prior, ratios = logit(knobs.group_share), log_ratios(features, knobs)
    group = expit(prior + sum(ratios.values()))
    if_zero, if_one = outcome_of_group(features, knobs)
    label = group * if_one + (1 - group) * if_zero
    left = [ratio for columns, ratio in ratios.items() if not drop & set(columns)]
    guessed = expit(prior + sum(left)) if left else np.full(len(group), knobs.group_share)
    alone = {columns[0]: _auc(expit(prior + ratio)) for columns, ratio in ratios.items() if len(columns) == 1}
    selected = label >= _HALF
    return Known(
        attribute="group",
        columns=tuple(
            KnownColumn(
                name=name,
                way=WAYS.get(knobs.how.get(name, ""), ""),
                partner=_partner(name) if name in knobs.how else None,
                auc=alone.get(name, _HALF) if name in knobs.how else _HALF,
                tells_outcome=name in knobs.useful_names or (bool(knobs.direct) and name in knobs.how),
            )
            for name in map(str, features)
            if name not in drop
        ),
        guessed=_best(guessed),
        predicted=_best(label),
        groups={
            GROUPS[0]: KnownGroup(_mean(if_zero, 1 - group), _mean(selected, 1 - group)),
            GROUPS[1]: KnownGroup(_mean(if_one, group), _mean(selected, group)),
        },
        left_out=bool(drop),
    )


def _partner(name: str) -> str | None:
    return PAIR[1 - PAIR.index(name)] if name in PAIR else None


def _mean(values: Floats | np.ndarray, weight: Floats) -> float:
    return float(values @ weight / weight.sum())


def _best(probability: Floats) -> Best:
    return Best(
        accuracy=float(np.maximum(probability, 1 - probability).mean()),
        balanced_accuracy=_balanced(probability),
        auc=_auc(probability),
    )


def _balanced(probability: Floats) -> float:
    """The mean of both groups' accuracies where everybody is put where they are more common than in all."""
    named = probability >= probability.mean()
    return (_mean(named, probability) + _mean(~named, 1 - probability)) / 2


def _auc(probability: Floats) -> float:
    """Chance that a positive scores above a negative, each row counted as both with its own odds."""
    level = np.unique(probability, return_inverse=True)[1]
    positive = np.bincount(level, weights=probability)
    negative = np.bincount(level, weights=1 - probability)
    below = np.cumsum(negative) - negative
    return float(positive @ (below + negative / 2) / (positive.sum() * negative.sum()))

"""The knobs of known-truth data: what can be turned on, and how far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.data._generated_size import MOST_ROWS
from diffoci.data._option import Option
from diffoci.data.twins import SEED

PAIR = ("interaction_a", "interaction_b")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Knobs:
    """What was turned on: the whole truth except for the random draw."""

    linear: float = 1.0
    variance: float = 1.0
    interaction: float = 0.9
    direct: float = 1.0
    group_share: float = 0.4
    noise: float = 0.5
    useful: int = 3
    irrelevant: int = 2

    def __post_init__(self) -> None:
        for option in OPTIONS:
            if hasattr(self, option.name):
                option.check(getattr(self, option.name))

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
    def useful_names(self) -> list[str]:
        return [f"useful_{k + 1}" for k in range(self.useful)]

    def signal(self, features: pd.DataFrame) -> Floats:
        """Return the part of the label's score that useful features carry (standard normal)."""
        weights = 1.0 / np.arange(1, self.useful + 1)
        return features[self.useful_names].to_numpy() @ (weights / np.linalg.norm(weights))


ROWS = Option(
    "rows", "whole", "how many rows", 4000, least=2, most=MOST_ROWS, title="People", shown=(100, 100_000), step=500,
    flag=True,
)  # fmt: skip
OPTIONS = (
    ROWS,
    Option(
        "linear", "number", "trace in the mean", Knobs.linear, least=-100.0, most=100.0, shown=(0.0, 3.0),
        help="Any linear model sees this one.",
    ),
    Option(
        "variance", "number", "trace in the spread", Knobs.variance, least=-100.0, most=100.0, shown=(0.0, 3.0),
        help="The mean is the same in both groups, the spread is not.",
    ),
    Option(
        "interaction", "number", "trace in a pair", Knobs.interaction, least=-0.999, most=0.999, shown=(0.0, 0.95),
        help="Neither feature tells alone; the two together do.",
    ),
    Option(
        "direct", "number", "how much the outcome depends on the group itself", Knobs.direct, least=-100.0, most=100.0,
        on_form=False,
    ),
    Option("group_share", "number", "share of group B", Knobs.group_share, least=0.001, most=0.999, on_form=False),
    Option("noise", "number", "noise in the outcome", Knobs.noise, least=0.001, most=100.0, on_form=False),
    Option(
        "useful", "whole", "features that predict the outcome and not the group", Knobs.useful, least=1, most=100,
        on_form=False,
    ),
    Option(
        "irrelevant", "whole", "features that predict neither", Knobs.irrelevant, least=0, most=100, on_form=False
    ),
    SEED,
)  # fmt: skip

"""What nothing selected is compared with: the mean of y, and all columns."""

from __future__ import annotations

from diffoci.labs.feature_selection.families import REFERENCE
from diffoci.labs.feature_selection.selectors.selector import Asked, Found, Selector


def _mean(asked: Asked) -> Found:
    return Found(asked.task.x[:, :0], ())


def _full(asked: Asked) -> Found:
    return Found(asked.task.x, tuple(range(len(asked.task.names))))


SELECTORS = (
    Selector(
        name="mean", title="mean predictor", description="no column at all", build=_mean, family=REFERENCE, cost=0.1
    ),
    Selector(name="full", title="full data", description="every column", build=_full, family=REFERENCE, cost=0.5),
)

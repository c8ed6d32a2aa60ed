"""Rates of each group, from the count of people by group, label and decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from diffoci.audit.decisions.intervals import Rate, rate
from diffoci.audit.decisions.reliability import Reliability
from diffoci.audit.kinds import Count, Stored, Text
from diffoci.audit.verdicts import FEWEST_ROWS
from diffoci.inputs import Ints

Successes = Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]

# Each takes counts[..., group, label, decision] and returns the successes and the people they are counted among.
RATES: Mapping[str, Successes] = {
    "selection_rate": lambda counts: (counts[..., 1].sum(-1), counts.sum((-1, -2))),
    "true_positive_rate": lambda counts: (counts[..., 1, 1], counts[..., 1, :].sum(-1)),
    "false_positive_rate": lambda counts: (counts[..., 0, 1], counts[..., 0, :].sum(-1)),
    "positive_predictive_value": lambda counts: (counts[..., 1, 1], counts[..., 1].sum(-1)),
    "accuracy": lambda counts: (counts[..., 0, 0] + counts[..., 1, 1], counts.sum((-1, -2))),
}


class GroupRates(Stored, frozen=True, kw_only=True):
    """What was decided about one group.

    Parameters
    ----------
    label : str
        The group's name.
    levels : mapping
        Its level of every attribute.
    n, positives, selected : int
        People, those with label 1, and those selected.
    judged : bool
        Whether the group is large enough to be compared with others.
    note : str
        "13 people: not judged" for a group too small, else empty.
    selection_rate, true_positive_rate, … : Rate or None
        None where nobody counts (no positives: no true positive rate), and all None where not judged.
    calibration : Reliability, optional
        None where not judged, or where decisions were given without scores.
    """

    label: Text
    levels: dict[Text, Text]
    n: Count
    positives: Count
    selected: Count
    judged: bool
    note: Text
    selection_rate: Rate | None
    true_positive_rate: Rate | None
    false_positive_rate: Rate | None
    positive_predictive_value: Rate | None
    accuracy: Rate | None
    calibration: Reliability | None

    @property
    def rates(self) -> dict[str, Rate | None]:
        """Every rate by its name, one of `RATES`."""
        return {name: getattr(self, name) for name in RATES}


def group_rates(
    counts: Ints,
    *,
    label: str,
    levels: Mapping[str, str],
    minimum: int = FEWEST_ROWS,
    confidence: float = 0.95,
    calibration: Reliability | None = None,
) -> GroupRates:
    """Return the rates of one group from its counts by label and decision.

    >>> import numpy as np
    >>> group_rates(np.array([[9, 4], [0, 0]]), label="f", levels={"sex": "f"}).note
    '13 people: not judged'
    """
    n = int(counts.sum())
    judged = n >= minimum
    found = {name: successes(counts) for name, successes in RATES.items()}
    rates: dict[str, Rate | None] = {
        name: rate(int(k), int(people), confidence=confidence) if judged else None
        for name, (k, people) in found.items()
    }
    return GroupRates(
        label=label,
        levels=dict(levels),
        n=n,
        positives=int(counts[1].sum()),
        selected=int(counts[:, 1].sum()),
        judged=judged,
        note="" if judged else f"{n} {'person' if n == 1 else 'people'}: not judged",
        calibration=calibration if judged else None,
        **rates,
    )

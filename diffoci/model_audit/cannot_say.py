"""What the columns of a model audit cannot tell, in sentences that follow from its result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diffoci.model_audit.result import ModelComparison, OneModel, OutcomeAbout


def cannot_say(outcome: OutcomeAbout | None, models: Sequence[OneModel], *, attributes: int) -> tuple[str, ...]:
    """What these columns cannot tell, and why; `attributes` are those of groups."""
    said = []
    if outcome is None:
        said.append(
            "There is no outcome, so nothing is said of mistakes: not who is wrongly selected or wrongly passed over, "
            "not whether a score means the same in each group, not separation and sufficiency."
        )
    elif outcome.kind == "number":
        said.append("The outcome is a quantity, so there are no true and false positives, and no AUC.")
    for one in models:
        if one.score is None:
            said.append(
                f"{one.name} has decisions and no score: nothing is said of other thresholds, of calibration, or of "
                "what could be done with thresholds."
            )
        if any("separation" in a.criteria and "sufficiency" not in a.criteria for a in one.attributes.values()):
            said.append(
                f"Among people of one score, {one.name} leaves nothing of the outcome open in these rows: sufficiency "
                "has nothing to explain and is not judged."
            )
        if one.basis == "half":
            said.append(
                f"{one.name} has no recorded decision and its score is no probability: rates are those of selecting "
                "the upper half. Give a threshold to see those of your rule."
            )
        if outcome is not None and outcome.kind == "classes":
            said += _groups_without(one.comparisons[: max(1, attributes)])
    return tuple(said)


def _groups_without(comparisons: Sequence[ModelComparison]) -> list[str]:
    """Judged groups in which somebody with, or without, the outcome is missing."""
    said = []
    for comparison in comparisons:
        for group in comparison.judged:
            if group.counts is not None and 0 in np.sum(group.counts, axis=1).tolist():
                nobody = sum(group.counts[1]) == 0
                rates = "true positive and no false negative rate" if nobody else "false positive rate"
                who = f"{'Nobody' if nobody else 'Everybody'} in the group {group.label}"
                said.append(f"{who} has the outcome, so it has no {rates}.")
    return said

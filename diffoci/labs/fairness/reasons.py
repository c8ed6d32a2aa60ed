"""Why a figure of ours differs from the paper's, as far as we know: one sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from diffoci.labs.fairness.paper_data import DATA, PaperData
from diffoci.labs.fairness.result import FairnessResult, Part

_TWIN = "these are simulated people"
_UNPUBLISHED = "the paper's split and grid choices are not published"
# What the authors' published notebook of this table does otherwise, by column.
_NOTEBOOK = {
    "GUS": "the published notebook keeps one per cent of the columns",
    "FDR": "the published notebook sets the level to 0.975",
    "FWE": "the published notebook sets the level to 0.975",
    "UMAP": "the published notebook keeps 25, 50 or 75 % of the dimensions",
    "PCA": "the published notebook keeps 25, 50 or 75 % of the dimensions",
    "vec-dF1": "the published notebook trains one step on 500 rows",
    "vec-dF3": "the published notebook trains one step on 500 rows",
}


def why_accuracy_differs(result: FairnessResult, method: str, target: str, part: Part) -> str:
    """The likely reason for another accuracy."""
    if not result.real:
        return _TWIN
    data = DATA[result.spec.data]
    if part == "train":
        return "the epoch is the best on validation rows; the paper's networks fit their training rows longer"
    if data.other_outcome and target == "y":
        return data.other_outcome
    if target == "S" and method == "dF3":
        return "dF3 promises no independence: the attribute stays as guessable as the outcome needs it; " + _rows(data)
    return _rows(data)


def why_loss_differs(result: FairnessResult, column: str) -> str:
    """The likely reason for another log-loss."""
    if not result.real:
        return _TWIN
    data = DATA[result.spec.data]
    return "; ".join(filter(None, (_NOTEBOOK.get(column), data.other_outcome, data.other_rows or _UNPUBLISHED)))


def why_dropped_differ(
    result: FairnessResult, here: Sequence[str], paper: Sequence[str], weakest: Sequence[str] = ()
) -> str:
    """Which names differ, as many of our weakest as the paper drops, and why they may."""
    names = f"here {', '.join(here) or 'none'}" + (f"; in the paper {', '.join(paper)}" if paper else "")
    weak = f"; weakest here {', '.join(weakest)}" if weakest else ""
    why = _TWIN if not result.real else "what falls below 0.1 depends on the repetition, the steps and the coding"
    return f"{names}{weak}; {why}"


def _rows(data: PaperData) -> str:
    return "; ".join(filter(None, (data.other_rows, _UNPUBLISHED)))

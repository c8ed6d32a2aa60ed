"""The paper's figures that a run of the same data can be put beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# NN-dF3, test accuracy in per cent of y and of the sensitive attribute [tab:fairness_experiments].
_FAIRNESS: dict[str, dict[str, dict[str, float]]] = {
    "bank": {"standard": {"y": 90.05, "sensitive": 70.93}, "dF3": {"y": 89.35, "sensitive": 63.81}},
    "student": {"standard": {"y": 75.67, "sensitive": 71.21}, "dF3": {"y": 72.73, "sensitive": 48.89}},
    "acs-income": {"standard": {"y": 81.30, "sensitive": 66.00}, "dF3": {"y": 82.95, "sensitive": 52.73}},
}
_ATTRIBUTE = {"bank": "marital", "student": "sex", "acs-income": "sex"}

# Features dropped by vec-dF3 [tab:selected_attributes]; the two rows are put right (see the README).
_DROPPED: dict[str, list[dict[str, Any]]] = {
    "student": [{"given": ["sex"], "count": 11, "of": 30, "more_than_unconditioned": 7}],
    "bank": [{"given": ["marital"], "count": 1, "of": 20, "more_than_unconditioned": 1}],
    "acs-income": [
        {"given": ["race"], "names": ["OCCP"]},
        {"given": ["sex"], "names": ["COW"]},
        {"given": ["sex", "race"], "names": ["OCCP", "COW", "POBP"]},
    ],
    "acs-employment": [
        {"given": ["race"], "names": ["MAR", "ANC"]},
        {"given": ["sex"], "names": ["MAR", "ANC", "CIT", "MIG"]},
        {"given": ["sex", "race"], "names": ["MAR", "ANC", "CIT", "MIG", "SCHL", "NATIVITY"]},
    ],
}


# What an audit has to be of: for each option its default and the paper's values. No column is left out.
_CENSUS: dict[str, tuple[Any, ...]] = {"state": ("AL", "AL", "CA"), "drop": ((), [], ())}
_OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "student": {"subject": ("mat", "mat"), "grades": (False, False), "drop": ((), [], ())},
    "bank": {"duration": (False, True), "drop": ((), [], ())},
    "acs-income": {**_CENSUS, "threshold": (50_000.0, 50_000.0)},
    "acs-employment": _CENSUS,
}


def paper_figures(data: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the paper reports for a source: accuracies and dropped features; empty for other data.

    Its students are those of mathematics without their earlier grades, its bank's columns include the call's duration,
    its census is of Alabama or California (it names both and no year), with incomes above 50,000 dollars.
    """
    found: dict[str, Any] = {}
    if any(options.get(name, usual) not in allowed for name, (usual, *allowed) in _OPTIONS.get(data, {}).items()):
        return found
    if data in _FAIRNESS:
        found["accuracy"] = {"attribute": _ATTRIBUTE[data], "methods": _FAIRNESS[data]}
    if data in _DROPPED:
        found["dropped"] = _DROPPED[data]
    return found

"""The paper's figures that a run of the same data can be put beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from diffoci.audit.result import PaperFigures
from diffoci.data.sources import source_of

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


# What an audit has to be of: the paper's values of options. No column is left out.
_OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "student": {"subject": ("mat",), "grades": (False,)},
    "bank": {"duration": (True,)},
    "acs-income": {"state": ("AL", "CA"), "threshold": (50_000.0,)},
    "acs-employment": {"state": ("AL", "CA")},
}


def paper_figures(data: str, options: Mapping[str, Any]) -> PaperFigures:
    """What the paper reports for a source: accuracies and dropped features; empty for other data.

    Its students are those of mathematics without their earlier grades, its bank's columns include the call's duration,
    its census is of Alabama or California (it names both and no year), with incomes above 50,000 dollars.
    """
    found: dict[str, Any] = {}
    if data not in _OPTIONS or options.get("drop"):
        return PaperFigures()
    asked = source_of(data).filled_in(options, twin=False)
    if any(asked[name] not in allowed for name, allowed in _OPTIONS[data].items()):
        return PaperFigures()
    if data in _FAIRNESS:
        found["accuracy"] = {"attribute": _ATTRIBUTE[data], "methods": _FAIRNESS[data]}
    if data in _DROPPED:
        found["dropped"] = _DROPPED[data]
    return msgspec.convert(found, PaperFigures)

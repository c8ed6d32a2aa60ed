"""The paper's tables of domain shift, to run on data that are at hand, with its own figures beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from diffoci.audit.result import Mean
from diffoci.labs.here import HERE, Here
from diffoci.labs.reproducible import Asked, PaperTable, Plan, Preset, Row
from diffoci.labs.shift.compute import ALL
from diffoci.labs.shift.spec import Domain, ShiftSpec
from diffoci.labs.shift.study import DOMAIN_SHIFT, ShiftOutcome, ShiftResult

_INCOME = "acs-income"
_YEARS = tuple({"state": "AL", "year": year} for year in (2017, 2018))
_AGE = 40.0
_METHODS = ("dF1", "random")
_MEASURES = ("drop", "test_accuracy", "outside_accuracy", "train_accuracy")
# Training, test and outside accuracy in per cent, and their difference as the paper prints it.
_PAPER: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "CIFAR-10 to CIFAR-10.1": {
        "all features": (85.20, 82.75, 70.2, 12.55),
        "dF1, 75 %": (82.66, 81.7, 68.95, 12.22),
        "dF1, 50 %": (80.19, 79.4, 67.9, 11.5),
        "dF1, 25 %": (79.55, 78.72, 65.40, 13.32),
    },
    "DomainNet, real to sketch": {
        "all features": (88.72, 78.93, 29.34, 49.59),
        "dF1, clipped at 0.1": (85.58, 77.50, 27.58, 49.92),
    },
    "DomainNet, clipart to sketch": {
        "all features": (89.98, 61.85, 39.43, 22.42),
        "dF1, clipped at 0.1": (88.95, 61.96, 40.34, 21.92),
    },
    "DomainNet, sketch to quickdraw": {
        "all features": (66.51, 53.17, 7.01, 46.16),
        "dF1, clipped at 0.1": (65.54, 52.97, 6.98, 45.99),
    },
}


def _ages(**which: Any) -> tuple[Domain, Domain]:
    """People under 40, and others: two domains that every census file has."""
    domain = Domain(data=_INCOME, where="AGEP", **which)
    return replace(domain, below=_AGE), replace(domain, least=_AGE)


def _plan(preset: Preset, here: Here = HERE, /) -> Plan:
    quick = preset == "quick"
    seeds, epochs = tuple(range(3 if quick else 10)), 20 if quick else 50
    notes = ["The paper's pictures are not at hand: its figures stand alone, to be read beside ours."]
    pairs = [("ACS income, simulated people, under 40 to 40 and over", *_ages(twin=True))]
    if all(here.has(_INCOME, options) for options in _YEARS):
        before, after = (Domain(data=_INCOME, options=options) for options in _YEARS)
        pairs = [
            ("ACS income, Alabama 2017 to 2018", before, after),
            ("ACS income, Alabama 2018, under 40 to 40 and over", *_ages(options=_YEARS[1])),
            *pairs,
        ]
    else:
        notes.append("The census files of Alabama 2017 and 2018 are not at hand, so all people are simulated.")
    asked = (
        Asked(
            DOMAIN_SHIFT,
            ShiftSpec(title=title, inside=one, outside=other, methods=_METHODS, seeds=seeds, epochs=epochs),
        )
        for title, one, other in pairs
    )
    return Plan(tuple(asked), tuple(notes))


def shift_rows(results: Sequence[ShiftResult]) -> tuple[Row, ...]:
    """What was found: for every choice of features the accuracies at home and elsewhere, and their difference."""
    return tuple(
        Row(
            study=result.spec.title,
            method=_choice(one),
            measure=measure,
            value=value,
            more={"features": one.features.mean, "real": result.real},
        )
        for result in results
        for one in result.outcomes
        for measure, value in zip(_MEASURES, (one.drop, one.test, one.outside, one.train), strict=True)
    )


def _choice(one: ShiftOutcome) -> str:
    return "all features" if one.method == ALL else f"{one.method}, {100 * one.share:.0f} %"


def _rows(results: Sequence[ShiftResult]) -> tuple[Row, ...]:
    papers = (
        Row(study=study, method=method, measure=measure, value=Mean(None, None, None, ()), paper=figure)
        for study, rows in _PAPER.items()
        for method, (train, test, outside, drop) in rows.items()
        for measure, figure in zip(_MEASURES, (drop, test, outside, train), strict=True)
    )
    return (*shift_rows(results), *papers)


SHIFT = PaperTable(
    name="shift",
    title="Domain shift: what a selection made in one domain loses in another",
    about=(
        "Features are ordered by vec-dF1 on 75 % of the rows of one domain, and 75, 50 or 25 % of them are kept. A "
        "logistic regression predicts 10 % of the same domain (test) and all rows of the other (outside); the drop is "
        "the difference, in points. Beside dF1 stands a choice at random, which the paper does not show: a small drop "
        "says little where a random choice has one, or where both accuracies are low."
    ),
    plan=_plan,
    rows=_rows,
)

"""What each twin models: which raw columns go together, and which cells they are fitted in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from diffoci.data.twin_model import Factor, Recipe, Variable

_ORIGIN = ("RAC1P", "CIT", "NATIVITY")
_BANK_DAY = ("month", "emp.var.rate", "cons.price.idx", "cons.conf.idx", "nr.employed", "euribor3m")
_BANK_CONTACTS = ("poutcome", "previous", "pdays")


def itself(value: Any) -> str:
    return str(value)


def recipe(
    *,
    number: Sequence[str] = (),
    ordered: Sequence[str] = (),
    nominal: Sequence[str | tuple[str, ...]] = (),
    structure: Sequence[tuple[str, Callable[[Any], str]]] = (),
    cells: Sequence[tuple[str | tuple[str, ...], Callable[[Any], str]]],
) -> Recipe:
    """Spell a recipe by column names; a tuple among `nominal` is modelled as one variable."""
    variables = (
        *(Variable((name,), "number") for name in number),
        *(Variable((name,), "ordered") for name in ordered),
        *(Variable(_columns(name), "nominal") for name in nominal),
    )
    where = {variable.columns: index for index, variable in enumerate(variables)}
    return Recipe(
        variables,
        (
            *(Factor(where[_columns(name)], group, structural=True) for name, group in structure),
            *(Factor(where[_columns(name)], group) for name, group in cells),
        ),
    )


def _columns(name: str | tuple[str, ...]) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else name


def bands(*starts: float) -> Callable[[Any], str]:
    """Return a grouping of numbers: which of the bands that begin at `starts` a number lies in."""
    return lambda value: str(sum(value >= start for start in starts))


def race(code: Any) -> str:
    return {1: "white", 2: "black", 6: "asian"}.get(int(code), "other")


def origin(codes: Any) -> str:
    """Group by race those born in the country; those born abroad differ more from them than by race."""
    return "abroad" if codes[2] == 2 else race(codes[0])


def employed(code: Any) -> str:
    return "employed" if code == 1 else "not employed"


def passed(grade: Any) -> str:
    return "pass" if grade >= 12 else "fail"


ACS_INCOME = recipe(
    number=["AGEP", "WKHP"],
    ordered=["SCHL"],
    nominal=["PINCP_gt_50000", "SEX", "RAC1P", "COW", ("MAR", "RELP"), "OCCP", "POBP"],
    cells=[
        ("PINCP_gt_50000", itself),
        ("SEX", itself),
        ("RAC1P", race),
        ("SCHL", bands(18, 21)),
        ("AGEP", bands(25, 55)),
    ],
)

# What a person is asked depends on age alone: schooling from 3, hearing from 5, work from 16, service from 17.
ACS_EMPLOYMENT = recipe(
    number=["AGEP"],
    ordered=["SCHL"],
    nominal=[
        "ESR", "SEX", _ORIGIN, ("MAR", "RELP"), ("DIS", "DEAR", "DEYE", "DREM"), "ESP", "MIG", "MIL", "ANC",
    ],
    structure=[("AGEP", bands(1, 3, 5, 15, 16, 17, 18))],
    cells=[("ESR", employed), ("SEX", itself), (_ORIGIN, origin), ("AGEP", bands(25, 40, 55, 65))],
)  # fmt: skip

BANK = recipe(
    number=["age", "duration", "campaign"],
    nominal=[
        "y", "marital", ("job", "education"), "default", ("housing", "loan"), "contact", "day_of_week",
        _BANK_DAY, _BANK_CONTACTS,
    ],
    cells=[("y", itself), ("marital", itself), ("age", bands(30, 40, 50, 60))],
)  # fmt: skip

STUDENT = recipe(
    number=["age", "absences", "G1", "G2", "G3"],
    ordered=[
        "Medu", "Fedu", "traveltime", "studytime", "failures", "famrel", "freetime", "goout", "Dalc", "Walc",
        "health",
    ],
    nominal=[
        "school", "sex", "address", "famsize", "Pstatus", "Mjob", "Fjob", "reason", "guardian", "schoolsup",
        "famsup", "paid", "activities", "nursery", "higher", "internet", "romantic",
    ],
    cells=[("G3", passed), ("sex", itself), ("school", itself)],
)  # fmt: skip

"""Bank Marketing (UCI 222): does a client of a Portuguese bank subscribe a term deposit after a call."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from diffoci.data._attributes import Attribute, banded, choose, coded, feature_frame, level_codes
from diffoci.data.dataset import Column, Dataset
from diffoci.data.fetching.files import RemoteFile, fetch
from diffoci.data.source import Card, Option, Source
from diffoci.data.twins import OF_TWINS, Origin, bands, draw_table, itself, marked, recipe
from diffoci.data.twins.recipe import read_semicolons

TITLE = "Bank Marketing"
OUTCOME = "subscribed a term deposit"
LICENCE = "CC BY 4.0"
CITATION = "S. Moro, P. Rita, P. Cortez (2014). Bank Marketing. UCI Machine Learning Repository. doi:10.24432/C5K306"
_ADDRESS = "https://archive.ics.uci.edu/static/public/222/bank+marketing.zip"
_SHA256 = "74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8"

_MARITAL = {"married": "married", "single": "single", "divorced": "divorced or widowed"}
_EDUCATION = {
    "illiterate": "illiterate",
    "basic.4y": "basic, 4 years",
    "basic.6y": "basic, 6 years",
    "basic.9y": "basic, 9 years",
    "high.school": "high school",
    "professional.course": "professional course",
    "university.degree": "university degree",
}
_JOBS = (
    "admin.",
    "blue-collar",
    "entrepreneur",
    "housemaid",
    "management",
    "retired",
    "self-employed",
    "services",
    "student",
    "technician",
    "unemployed",
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri")
_YES_NO = {"no": "no", "yes": "yes", "unknown": "unknown"}


def _same(levels: Sequence[str]) -> dict[str, str]:
    return {level: level for level in levels}


COLUMNS = (
    Column("age", "number", "age in years"),
    Column("job", "nominal", "job", _same((*_JOBS, "unknown"))),
    Column("marital", "nominal", "marital status", {**_MARITAL, "unknown": "unknown"}),
    Column("education", "nominal", "education", {**_EDUCATION, "unknown": "unknown"}),
    Column("default", "nominal", "has credit in default", _YES_NO),
    Column("housing", "nominal", "has a housing loan", _YES_NO),
    Column("loan", "nominal", "has a personal loan", _YES_NO),
    Column("contact", "nominal", "means of contact", {"cellular": "mobile", "telephone": "landline"}),
    Column("month", "nominal", "month of the last call", _same(_MONTHS)),
    Column("day_of_week", "nominal", "weekday of the last call", _same(_DAYS)),
    Column("duration", "number", "length of the last call in seconds, known only after it"),
    Column("campaign", "number", "calls in this campaign, the last one included"),
    Column("pdays", "number", "days since an earlier campaign's call (999: never called)"),
    Column("previous", "number", "calls before this campaign"),
    Column(
        "poutcome",
        "nominal",
        "outcome of the earlier campaign",
        {"nonexistent": "no earlier campaign", "failure": "failure", "success": "success"},
    ),
    Column("emp.var.rate", "number", "employment variation rate, quarterly"),
    Column("cons.price.idx", "number", "consumer price index, monthly"),
    Column("cons.conf.idx", "number", "consumer confidence index, monthly"),
    Column("euribor3m", "number", "Euribor 3 month rate, daily"),
    Column("nr.employed", "number", "number of employees in thousands, quarterly"),
)


def _married(frame: pd.DataFrame) -> pd.Series:
    return level_codes(frame["marital"], {"married": "married"}, missing="not married")


ATTRIBUTES: dict[str, Attribute] = {
    "marital": Attribute(
        ("marital",),
        lambda frame: level_codes(frame["marital"], _same(("married", "single", "divorced"))),
        "Divorced includes widowed. Marital status is unknown for 80 clients of the published file: they are"
        " kept as a group of their own.",
    ),
    "married": Attribute(
        ("marital",),
        _married,
        "The 80 clients of the published file whose marital status is unknown count as not married.",
    ),
    "age": banded("age", [30, 40, 50, 60]),
    "education": coded("education", _EDUCATION),
    "job": coded("job", _same(_JOBS)),
}


def files() -> tuple[RemoteFile, ...]:
    """Return the published file."""
    return (RemoteFile("bank-additional-full.csv", "bank", _ADDRESS, _SHA256),)


def load_bank(*, duration: bool, sensitive: Sequence[str]) -> Dataset:
    """Load Bank Marketing; the label is whether the client subscribed a term deposit."""
    (file,) = files()
    local = fetch(file)
    recorded = read_semicolons(local.path)
    if missing := {column.name for column in COLUMNS}.union({"y"}).difference(recorded.columns):
        raise ValueError(f"{local.path} is not {file.name}: it lacks {', '.join(sorted(missing))}.")
    return as_dataset(recorded, sensitive=sensitive, duration=duration, notes=local.notes)


def load_twin(*, duration: bool, sensitive: Sequence[str], rows: int | None, seed: int) -> Dataset:
    """Draw simulated clients."""
    return marked(as_dataset(draw_table("bank", rows=rows, seed=seed), sensitive=sensitive, duration=duration))


def as_dataset(
    recorded: pd.DataFrame, *, sensitive: Sequence[str], duration: bool, notes: Sequence[str] = ()
) -> Dataset:
    """Build the Dataset of recorded clients, however the table was come by."""
    chosen = choose(recorded, ATTRIBUTES, sensitive)
    left_out = chosen.columns if duration else chosen.columns | {"duration"}
    columns = tuple(column for column in COLUMNS if column.name not in left_out)
    duration_note = (
        "The length of the call is among the features, as in the paper; it is known only after the outcome."
        if duration
        else "The length of the call (duration) is left out: it is known only after the outcome."
    )
    return Dataset(
        name="bank",
        title=TITLE,
        features=feature_frame(recorded, columns),
        columns=columns,
        label=(recorded["y"] == "yes").astype("int64").rename("label"),
        label_name=OUTCOME,
        label_classes=("no", "yes"),
        sensitive=chosen.frame,
        real=True,
        source=_ADDRESS,
        licence=LICENCE,
        citation=CITATION,
        notes=(duration_note, *chosen.notes, *notes),
    )


_RECIPE = recipe(
    number=["age", "duration", "campaign"],
    nominal=[
        "y", "marital", ("job", "education"), "default", ("housing", "loan"), "contact", "day_of_week",
        ("month", "emp.var.rate", "cons.price.idx", "cons.conf.idx", "nr.employed", "euribor3m"),
        ("poutcome", "previous", "pdays"),
    ],
    cells=[("y", itself), ("marital", itself), ("age", bands(30, 40, 50, 60))],
)  # fmt: skip

SOURCE = Source(
    name="bank",
    title=TITLE,
    summary=f"calls of a Portuguese bank; outcome: {OUTCOME}",
    licence=LICENCE,
    citation=CITATION,
    sensitive=tuple(ATTRIBUTES),
    default_sensitive=("marital",),
    options=(
        Option(
            "duration", "flag", "keep the length of the call", default=False, flag=True,
            help="It is not known before the call and all but gives the answer away; the paper keeps it.",
        ),
        *OF_TWINS,
    ),
    load=load_bank,
    files=files,
    twin=load_twin,
    outcome=lambda _: OUTCOME,
    origins=(Origin("bank", ("bank/bank-additional-full.csv",), _RECIPE),),
    card=Card(
        ":material/savings:",
        "41,188 calls of a Portuguese bank. Who takes out a deposit, and do the calls reveal who is married?",
        place=2,
    ),
)  # fmt: skip

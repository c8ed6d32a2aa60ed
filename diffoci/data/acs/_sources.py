"""The American Community Survey as sources: one for each task, all under one entry of the form."""

from __future__ import annotations

from functools import partial
from typing import Any

from diffoci.data.acs._places import STATE_CODES, state_name
from diffoci.data.acs._tasks import CITATION, LICENCE, TASKS, USUAL_THRESHOLD, derived_file, files, load_acs
from diffoci.data.acs._twin import ORIGINS, load_twin
from diffoci.data.source import Card, Family, Option, Source
from diffoci.data.twins import OF_TWINS

_FAMILY = Family("acs", "Census (ACS)", choice="Question")
_CARD = Card(
    ":material/account_balance:",
    "Income, employment and three more questions about people of one U.S. state. "
    "Can sex or race be guessed from occupation, hours and place of birth?",
    place=1,
)
_PLACE = (
    Option(
        "state", "names", "postal code, several with commas, or all", "AL", title="State", flag=True, rows="real",
        choices={code: state_name(number) for code, number in STATE_CODES.items()}, place=True,
    ),
    Option(
        "year", "whole", "year of the survey", 2018, least=2014, most=2024, title="Year", flag=True, rows="real",
        # The form asks for no horizon, and the Census published no file of one year for 2020.
        choices={year: str(year) for year in range(2024, 2013, -1) if year != 2020}, place=True,
    ),
    Option(
        "horizon", "choice", "years that a file is of", "1-Year", {"1-Year": "one year", "5-Year": "five years"},
        on_form=False, flag=True, rows="real", place=True,
    ),
)  # fmt: skip
_THRESHOLD = Option(
    "threshold", "number", "the income in dollars that counts as high", USUAL_THRESHOLD, least=0, most=1e9,
    title="High income from, dollars", shown=(1000, 1e9), step=5000, rows="real",
    help="The outcome is an income above this; folktables and the paper use 50,000.",
)  # fmt: skip
_READING = (
    Option(
        "race", "choice", "how race is read", "grouped", on_form=False,
        choices={"grouped": "in four groups", "recorded": "in the nine that are recorded"},
    ),
    Option("paper_ages", "flag", "only ages 16 to 90, as in the paper", default=False, on_form=False),
)  # fmt: skip


def _where(options: Any) -> str:
    if "state" not in options:
        return ""  # a twin
    state = options["state"]
    return f"{state if isinstance(state, str) else ', '.join(state)} {options['year']}"


def _source(name: str) -> Source:
    task = TASKS[name]
    has_twin, of_income = name in ORIGINS, name == "acs-income"
    return Source(
        name=name,
        title=task.title,
        summary=f"U.S. census records, task {task.problem} of folktables",
        licence=LICENCE,
        citation=CITATION,
        sensitive=task.sensitive,
        default_sensitive=("sex", "race"),
        options=(*_PLACE, *((_THRESHOLD,) if of_income else ()), *_READING, *(OF_TWINS if has_twin else ())),
        load=partial(load_acs, name),
        files=files,
        stands_in=lambda **place: derived_file(name, **place) is not None,
        twin=partial(load_twin, name) if has_twin else None,
        origins=(ORIGINS[name],) if has_twin else (),
        subtitle=_where,
        outcome=lambda options: task.outcome(options.get("threshold", USUAL_THRESHOLD)),
        family=_FAMILY,
        member=task.asked,
        card=_CARD if of_income else None,
    )


SOURCES = tuple(map(_source, TASKS))

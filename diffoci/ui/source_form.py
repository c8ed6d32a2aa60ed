"""Choose a source and its options; the answer is a draft without roles."""

from __future__ import annotations

from typing import Any

import streamlit as st

from diffoci.data.acs_places import STATE_CODES, state_name
from diffoci.data.sources import source_named
from diffoci.ui.choices import starting
from diffoci.ui.draft import Draft, draft

WANTED = "source-wanted"
KINDS = {
    "student": "Student Performance",
    "bank": "Bank Marketing",
    "acs": "Census (ACS)",
    "csv": "Your CSV",
    "truth": "Known truth",
}
_TASKS = {
    "acs-income": "income",
    "acs-employment": "employment",
    "acs-public-coverage": "public health coverage",
    "acs-mobility": "moved within a year",
    "acs-travel-time": "long commute",
}
_YEARS = [year for year in range(2024, 2013, -1) if year != 2020]  # the Census published no file of one year for 2020
_ROWS = {False: "Real", True: "Simulated twin"}


def choose_source() -> Draft | None:
    """Show the sources; return the one chosen with its options, or None while there is none."""
    before = draft()
    first = st.session_state.pop(WANTED, None) or (None if before is None else kind_of(before.data))
    kind = st.segmented_control(
        "Source", list(KINDS), format_func=KINDS.__getitem__, key=starting("data-source", first), required=False
    )
    if kind is None:
        return None
    before = before if before is not None and kind_of(before.data) == kind else None
    old = {} if before is None else dict(before.options)
    if kind == "csv":
        return before or Draft("csv:")
    if kind == "truth":
        return Draft("truth", options=_truth_options(old))
    twin = _twin(kind, before)
    if kind == "acs":
        return _acs(twin, before, old)
    options = _student_options(old) if kind == "student" else _bank_options(old)
    return Draft(kind, twin=twin, options=options)


def kind_of(data: str) -> str:
    """Return the entry of the form a source belongs to.

    Examples
    --------
    >>> kind_of("acs-income"), kind_of("csv:a/b.csv"), kind_of("bank")
    ('acs', 'csv', 'bank')
    """
    return data.split(":")[0].split("-")[0]


def _twin(kind: str, before: Draft | None) -> bool:
    from diffoci.ui.cards import at_hand

    source = "acs-income" if kind == "acs" else kind
    value = before.twin if before is not None else not at_hand(source)
    chosen = st.segmented_control(
        "Rows",
        [False, True],
        format_func=_ROWS.__getitem__,
        key=starting(f"data-twin-{kind}", value),
        required=True,
        help="A simulated twin has the real source's columns and habits and no real person. It needs no download.",
    )
    return bool(chosen)


def _acs(twin: bool, before: Draft | None, old: dict[str, Any]) -> Draft:
    tasks = [task for task in _TASKS if not twin or source_named(task).twin]
    with st.container(horizontal=True):
        first = before.data if before is not None and before.data in tasks else tasks[0]
        key = starting(f"data-task-{twin}", first)
        task = st.selectbox("Question", tasks, format_func=_TASKS.__getitem__, key=key, width=260)
        if twin:
            return Draft(task, twin=True)
        state = st.selectbox(
            "State",
            list(STATE_CODES),
            format_func=lambda code: state_name(STATE_CODES[code]),
            key=starting("data-state", old.get("state", "AL")),
            width=220,
        )
        year = st.selectbox("Year", _YEARS, key=starting("data-year", old.get("year", 2018)), width=120)
        options: dict[str, Any] = {"state": state, "year": year}
        if task == "acs-income":
            options["threshold"] = st.number_input(
                "High income from, dollars",
                min_value=1000.0,
                step=5000.0,
                format="%.0f",
                key=starting("data-threshold", float(old.get("threshold", 50_000.0))),
                width=220,
                help="The label is an income above this; folktables and the paper use 50,000.",
            )
    return Draft(task, options=options)


def _student_options(old: dict[str, Any]) -> dict[str, Any]:
    subject = st.selectbox(
        "Subject",
        ["mat", "por"],
        format_func={"mat": "mathematics (395 pupils)", "por": "Portuguese (649 pupils)"}.__getitem__,
        key=starting("data-subject", old.get("subject", "mat")),
        width=320,
    )
    grades = st.toggle(
        "Keep the grades of the first two periods",
        key=starting("data-grades", bool(old.get("grades", False))),
        help="They all but decide the final grade; the paper leaves them out.",
    )
    return {"subject": subject, **({"grades": True} if grades else {})}


def _bank_options(old: dict[str, Any]) -> dict[str, Any]:
    duration = st.toggle(
        "Keep the length of the call",
        key=starting("data-duration", bool(old.get("duration", False))),
        help="It is not known before the call and all but gives the answer away; the paper keeps it.",
    )
    return {"duration": True} if duration else {}


def _truth_options(old: dict[str, Any]) -> dict[str, Any]:
    rows = st.number_input("People", 100, 100_000, key=starting("data-rows", int(old.get("rows", 4000))), step=500)
    knobs = {
        "linear": ("Trace in the mean", 0.0, 3.0, 1.0, "Any linear model sees this one."),
        "variance": ("Trace in the spread", 0.0, 3.0, 1.0, "The mean is the same in both groups, the spread is not."),
        "interaction": ("Trace in a pair", 0.0, 0.95, 0.9, "Neither feature tells alone; the two together do."),
    }
    with st.container(horizontal=True):
        values = {
            name: st.slider(title, low, high, key=starting(f"data-{name}", float(old.get(name, first))), help=text)
            for name, (title, low, high, first, text) in knobs.items()
        }
    return {"rows": int(rows), **values}

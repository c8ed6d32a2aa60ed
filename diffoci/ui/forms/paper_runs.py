"""Ask which data of one of the paper's tables to run again, with what and how often; the answer is a run to start."""

from __future__ import annotations

from typing import Any

import streamlit as st
from msgspec.structs import replace

from diffoci.labs.fairness.paper_tables import DROPPED, FAIRNESS
from diffoci.labs.reproducible import PRESETS, Asked, PaperTable, Preset
from diffoci.labs.shift.paper_tables import SHIFT
from diffoci.ui.choices import lasting
from diffoci.ui.words import plain_markdown

PAPER_STUDIES = {
    FAIRNESS.name: (FAIRNESS, "Fairness tables"),
    DROPPED.name: (DROPPED, "Features dropped per attribute"),
    SHIFT.name: (SHIFT, "Domain shift"),
}
_PRESETS: dict[Preset, str] = {"quick": "quick", "full": "full, as in the paper"}


def choose_paper_run(table: PaperTable) -> Asked | None:
    """Ask for everything; None while something needed is missing."""
    st.markdown(plain_markdown(table.about))
    with st.container(horizontal=True):
        preset = st.selectbox("Preset", PRESETS, format_func=_PRESETS.__getitem__, key="lab-preset", width=200)
        plan = table.plan(preset)
        titles = [plain_markdown(one.study.describe(one.spec)) for one in plan.asked]
        key = f"lab-{table.name}-data"
        place = st.selectbox("Data", range(len(titles)), format_func=titles.__getitem__, key=key, width=420)
        spec: Any = plan.asked[place].spec  # which has seeds, whatever its study
        first = lasting(f"lab-{table.name}-seeds", len(spec.seeds))
        count = st.number_input("Repetitions", 1, 100, first, key=f"lab-{table.name}-seeds", width=150)
    methods = {} if table is DROPPED else _methods(spec, f"lab-{table.name}-methods")
    for note in plan.notes:
        st.caption(plain_markdown(note))
    if methods is None:
        st.info("Choose at least one selection.")
        return None
    return Asked(plan.asked[place].study, replace(spec, seeds=tuple(range(int(count))), **methods))


def _methods(spec: Any, key: str) -> dict[str, tuple[str, ...]] | None:
    """The selections that are wanted, those of the table or fewer; None where none is."""
    name = "columns" if hasattr(spec, "columns") else "methods"
    known = getattr(spec, name)
    chosen = st.pills("Selections", known, selection_mode="multi", default=lasting(key, list(known)), key=key)
    return {name: tuple(one for one in known if one in chosen)} if chosen else None

"""Two audits of models side by side: gaps, rates of groups, criteria, and what was asked differently."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from diffoci.figures.two_audits import model_words as words
from diffoci.figures.two_audits.model_picture import gap_moves
from diffoci.model_audit.two_audits import compare_model_audits
from diffoci.runs.store import Run
from diffoci.ui.charts import show_drawing, show_wrapped
from diffoci.ui.links import link, next_step
from diffoci.ui.runs.model_audits import model_result_of
from diffoci.ui.runs.two_audits import plain_lines
from diffoci.ui.words import plain_markdown

_SAID = "Not compared, because one of the audits has no such group or too few people in it: "


def show_two_model_audits(pair: tuple[Run, Run], title: DeltaGenerator) -> None:
    """Draw the page for two model audits; its answer goes into `title`."""
    first, second = (model_result_of(run) for run in pair)
    found, names = compare_model_audits(first, second), words.names_of(first, second)
    title.title(plain_markdown(words.headline(found, names)), anchor=False)
    if found.models and found.models[0][0] != found.models[0][1]:
        told = "; ".join(f"{one} with {two}" for one, two in found.models)
        st.info(plain_markdown(f"No model has the same name in both audits, so they are compared in order: {told}."))
    if any(entry.measure == "selection_rate" for entry in found.gaps):
        show_drawing(gap_moves(found, names), key="gap-moves")
    st.caption(plain_markdown(words.method_note(found)))
    if found.gaps:
        st.subheader("Gaps between groups", anchor=False)
        show_wrapped(words.changes_table(found.gaps), key="two-gaps", alt="Gaps in both audits")
    if found.groups:
        st.subheader("Each group by itself", anchor=False)
        show_wrapped(words.changes_table(found.groups), key="two-groups", alt="Rates in both audits")
    if found.not_shared:
        st.caption(plain_markdown(_SAID + ", ".join(found.not_shared) + "."))
    if found.criteria:
        st.subheader("What the scores tell", anchor=False)
        show_wrapped(words.criteria_table(found), key="two-criteria", alt="The criteria in both audits")
    st.subheader("What else differs", anchor=False)
    st.markdown(
        plain_lines(words.asked_differently(first, second))
        or "Nothing: both audits asked the same question about the same people."
    )
    st.divider()
    next_step("pages/criteria.py", "Next: the second audit by itself", icon=":material/balance:", audit=pair[1].id)
    link("pages/criteria.py", "The first audit by itself", icon=":material/balance:", audit=pair[0].id)

"""Two audits: what changed from one to the other, and whether it is more than noise."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from diffoci.audit.two_audits.changes import compare_audits
from diffoci.figures.two_audits import words
from diffoci.figures.two_audits.picture import moves
from diffoci.runs.store import Run
from diffoci.ui import guarded, link, next_step, open_page, show_table, simulated_bar
from diffoci.ui.charts import show_drawing
from diffoci.ui.runs.model_audits import is_model_audit
from diffoci.ui.runs.results import result_of
from diffoci.ui.runs.two_audits import chosen_pair, plain_lines, simulated_words
from diffoci.ui.runs.two_model_audits import show_two_model_audits
from diffoci.ui.words import plain_markdown


def show_two_audits(pair: tuple[Run, Run], title: DeltaGenerator) -> None:
    """Two fairness audits; the answer goes into `title`."""
    first, second = (result_of(run) for run in pair)
    found, names = compare_audits(first, second), words.names_of(first, second)
    title.title(plain_markdown(words.headline(found, names)), anchor=False)
    for attributes in dict.fromkeys(row.attributes for row in found.methods):
        show_drawing(moves(found, names, attributes=attributes), key=f"moves-{'-'.join(dict.fromkeys(attributes))}")
    st.caption(plain_markdown(words.method_note(found)))
    if found.rates:
        st.subheader("How often groups have the outcome, and are predicted to", anchor=False)
        show_table(
            words.rates_table(found),
            key="rates",
            alt="Outcomes and predictions of groups in both audits",
            verdict="More than noise?",
        )
    st.subheader("How well it can be guessed (AUC)", anchor=False)
    show_table(
        words.guessed_table(found),
        key="guessed",
        alt="How well the attribute can be guessed in both audits",
        verdict="Verdict",
    )
    st.subheader("How well the outcome is predicted (accuracy)", anchor=False)
    show_table(
        words.y_table(found),
        key="y",
        alt="How well the outcome is predicted in both audits, method by method",
        verdict="More than noise?",
    )
    st.subheader("Features dropped in one and not in the other", anchor=False)
    if found.dropped:
        show_table(words.dropped_table(found, names), key="dropped", alt="Features dropped in one audit only")
        st.caption(
            "Which feature falls below the cutoff varies by repetition, which a single one does not show: rely on rows "
            "where all agree."
        )
    else:
        st.markdown("None, among the features and conditions both audits have.")
    st.subheader("What else differs", anchor=False)
    st.markdown(
        plain_lines(words.asked_differently(first, second))
        or "Nothing: both audits asked the same question of the same data."
    )
    st.divider()
    next_step("pages/compare.py", "Next: the second audit by itself", icon=":material/scatter_plot:", audit=pair[1].id)
    link("pages/compare.py", "The first audit by itself", icon=":material/scatter_plot:", audit=pair[0].id)


open_page("Two audits", "🔀")
with guarded():
    bar, title = st.empty(), st.empty()
    pair = chosen_pair()
    if pair is not None:
        if mark := simulated_words(*pair):
            with bar.container():
                simulated_bar(text=mark)
        title.title("Two audits", anchor=False)
        if said := words.kinds_differ(*(run.study.title for run in pair)):
            title.title("These are two kinds of audit", anchor=False)
            st.markdown(plain_markdown(said))
        elif is_model_audit(pair[0]):
            show_two_model_audits(pair, title)
        else:
            show_two_audits(pair, title)

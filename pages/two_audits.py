"""Two audits: what changed from one to the other, and whether it is more than noise."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.contrast import contrast
from diffoci.figures import contrast_words as words
from diffoci.figures.two_audits import moves
from diffoci.ui import guarded, link, open_page, show_table, simulated_bar
from diffoci.ui.charts import show_drawing
from diffoci.ui.results import result_of
from diffoci.ui.two_audits import chosen_pair, plain_lines, simulated_words
from diffoci.ui.words import plain_markdown

open_page("Two audits", "🔀")
with guarded():
    bar, title = st.empty(), st.empty()
    pair = chosen_pair()
    if pair is not None:
        first, second = (result_of(run) for run in pair)
        if mark := simulated_words(*pair):
            with bar.container():
                simulated_bar(text=mark)
        title.title("Two audits", anchor=False)
        found, names = contrast(first, second), words.names_of(first, second)
        title.title(plain_markdown(words.headline(found, names)), anchor=False)
        for attributes in dict.fromkeys(row.attributes for row in found.methods):
            show_drawing(moves(found, names, attributes=attributes), key=f"moves-{'-'.join(dict.fromkeys(attributes))}")
        st.caption(plain_markdown(words.method_note(found)))
        st.subheader("How well it can be guessed (AUC)", anchor=False)
        show_table(
            words.guessed_table(found), key="guessed", alt="How well the attribute can be guessed in both audits"
        )
        st.subheader("How well y is predicted (accuracy)", anchor=False)
        show_table(words.y_table(found), key="y", alt="How well y is predicted in both audits, method by method")
        st.subheader("Features dropped in one and not in the other", anchor=False)
        if found.dropped:
            show_table(words.dropped_table(found, names), key="dropped", alt="Features dropped in one audit only")
            st.caption("Which feature falls below the cutoff depends on the seed: read rows where every seed agrees.")
        else:
            st.markdown("None, among the features and conditions both audits have.")
        st.subheader("What else is not the same", anchor=False)
        st.markdown(plain_lines(words.asked_differently(first, second)) or "Both were asked the same of the same data.")
        st.divider()
        link("pages/compare.py", "The first audit by itself", icon=":material/scatter_plot:", audit=pair[0].id)
        link("pages/compare.py", "The second audit by itself", icon=":material/scatter_plot:", audit=pair[1].id)

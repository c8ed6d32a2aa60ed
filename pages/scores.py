"""A model's scores: name the columns of a table and audit the model that made them."""

import streamlit as st

from diffoci.model_audit.people import check_reference
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.plain_text import counted
from diffoci.ui import guarded, open_page, show_table, simulated_bar
from diffoci.ui.forms.scores import choose_scores
from diffoci.ui.links import go
from diffoci.ui.runs.model_audits import people_of
from diffoci.ui.runs.starting import begin
from diffoci.ui.words import plain_markdown

open_page("A model's scores", "🎯")
with guarded():
    st.title("Audit a model you have", anchor=False)
    st.markdown(
        "Its score is in one column, its decision in another. Say which column is which: the audit shows what they do "
        "to groups of people, at this threshold and at any other. Nothing is trained."
    )
    spec = choose_scores()
    if spec is not None:
        simulated_bar(MODEL_AUDIT.is_simulated(spec))
        people = people_of(spec)
        check_reference(people, spec.settings)  # people are read once, whatever they are compared with
        if st.button("Audit the model", type="primary", icon=":material/play_arrow:", key="scores-start"):
            go("pages/criteria.py", audit=begin(spec).id)
        st.caption(
            f"{len(people):,} people, {counted(len(people.models), 'model')}, "
            f"{counted(len(people.attributes), 'attribute')}"
        )
        for note in people.about.notes:
            st.caption(plain_markdown(note))
        for name in people.groups:
            sizes = people.groups[name].value_counts(sort=False)
            frame = sizes.rename_axis(str(name)).reset_index(name="People").astype({str(name): "str"})
            show_table(frame, key=f"scores-groups-{name}", alt=f"People by {name}")

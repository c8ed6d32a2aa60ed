"""Data: choose a source, look at who is in it, name the label and the sensitive attributes."""

import streamlit as st

from diffoci.ui import guarded, keep_draft, link, open_page, simulated_bar
from diffoci.ui.draft import dataset_of
from diffoci.ui.obtaining import obtained
from diffoci.ui.people_view import show_people
from diffoci.ui.roles_form import choose_roles
from diffoci.ui.source_form import choose_source
from diffoci.ui.words import is_simulated, plain_markdown

open_page("Data", "⚖️")
with guarded():
    top = st.container()
    title = st.empty()
    title.title("Whose data?", anchor=False)
    with st.container(border=True):
        source = choose_source()
        roles = None
        if source is None:
            st.markdown("Choose one to see who is in it.")
        elif obtained(source):
            with guarded():
                roles = choose_roles(source)
    if roles is not None:
        with guarded():
            dataset = dataset_of(roles.spec)
            if keep_draft(roles):
                st.rerun()  # the frame was drawn with what was chosen before
            with top:
                simulated_bar(is_simulated(roles.spec))
            title.title(plain_markdown(f"{dataset.title}: {len(dataset):,} people"), anchor=False)
            attributes = ", ".join(str(name) for name in dataset.sensitive)
            st.markdown(
                f"Label: **{plain_markdown(dataset.label_name)}** "
                f"({plain_markdown(' or '.join(dataset.label_classes))}). "
                f"Sensitive: **{plain_markdown(attributes)}**. Features: {len(dataset.columns)}."
            )
            with st.container(horizontal=True):
                link("pages/proxies.py", "Which columns give it away?", icon=":material/search:")
                link("pages/train.py", "Run the audit", icon=":material/play_circle:")
            show_people(dataset)

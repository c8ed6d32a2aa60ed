"""Data: who is in the data of the open audit, or choose a source and name the label and the sensitive attributes."""

import streamlit as st

from diffoci.data.dataset import Dataset
from diffoci.ui import chosen_audit, guarded, keep_draft, link, open_page, simulated_bar
from diffoci.ui.draft import dataset_of
from diffoci.ui.links import PARAMETER
from diffoci.ui.obtaining import obtained
from diffoci.ui.people_view import show_people
from diffoci.ui.results import dataset_of_run
from diffoci.ui.roles_form import choose_roles
from diffoci.ui.source_form import choose_source
from diffoci.ui.words import is_simulated, plain_markdown


def show_roles(dataset: Dataset) -> None:
    """Say what is predicted, what should not be guessable, and from how much."""
    attributes = ", ".join(str(name) for name in dataset.sensitive)
    st.markdown(
        f"Label: **{plain_markdown(dataset.label_name)}** "
        f"({plain_markdown(' or '.join(dataset.label_classes))}). "
        f"Sensitive: **{plain_markdown(attributes)}**. Features: {len(dataset.columns)}."
    )


def titled(dataset: Dataset) -> str:
    """The answer of the page."""
    return plain_markdown(f"{dataset.title}: {len(dataset):,} people")


def show_audited() -> None:
    """Show whose data the audit in the address is about; they stay as they are."""
    if (run := chosen_audit()) is not None:
        simulated_bar(is_simulated(run.spec))
        dataset = dataset_of_run(run)
        st.title(titled(dataset), anchor=False)
        show_roles(dataset)
        with st.container(horizontal=True):
            link("pages/proxies.py", "Which columns give it away?", icon=":material/search:")
            link("pages/compare.py", "What can still be guessed?", icon=":material/scatter_plot:")
            link("pages/data.py", "Choose other data", icon=":material/table:", audit="")
        show_people(dataset)


def choose() -> None:
    """Choose data for the next audit."""
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
            title.title(titled(dataset), anchor=False)
            show_roles(dataset)
            with st.container(horizontal=True):
                link("pages/proxies.py", "Which columns give it away?", icon=":material/search:")
                link("pages/train.py", "Run the audit", icon=":material/play_circle:")
            show_people(dataset)


open_page("Data", "⚖️")
with guarded():
    if st.query_params.get(PARAMETER):
        show_audited()
    else:
        choose()

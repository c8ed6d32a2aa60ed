"""Data: who is in the data of the open audit, or choose a source and name the outcome and the sensitive attributes."""

from collections.abc import Sequence

import streamlit as st

from diffoci.audit.study import AUDIT, data_title
from diffoci.data.dataset import Dataset
from diffoci.runs.files import ends_whole
from diffoci.ui import chosen_audit, guarded, keep_draft, link, next_step, open_page, simulated_bar
from diffoci.ui.forms.deciding import ask_about_deciding, without_copies
from diffoci.ui.forms.obtaining import obtained
from diffoci.ui.forms.remembered_roles import remember_roles
from diffoci.ui.forms.roles import choose_roles
from diffoci.ui.forms.source import choose_source
from diffoci.ui.links import PARAMETER
from diffoci.ui.people_view import show_people, show_stored_groups
from diffoci.ui.runs.results import result_of
from diffoci.ui.runs.rows import rows_or_ask
from diffoci.ui.words import plain_markdown


def show_roles(label: str, classes: Sequence[str], attributes: Sequence[str], features: int) -> None:
    """Say what is predicted, what should not be guessable, and from how much."""
    outcome = "none yet: *Proxies* works without one, an audit does not."
    if classes:
        outcome = f"**{plain_markdown(label)}** ({plain_markdown(' or '.join(classes))})."
    st.markdown(f"Outcome: {outcome} Sensitive: **{plain_markdown(', '.join(attributes))}**. Features: {features}.")


def show_roles_of(dataset: Dataset) -> None:
    attributes = [str(name) for name in dataset.sensitive]
    show_roles(dataset.label_name, dataset.label_classes, attributes, len(dataset.columns))


def titled(name: str, people: int) -> str:
    """The answer of the page."""
    return plain_markdown(f"{name}: {people:,} people")


def show_audited() -> None:
    """Show whose data the audit in the address is about; they stay as they are."""
    if (run := chosen_audit()) is not None:
        simulated_bar(AUDIT.is_simulated(run.spec))
        title, roles = st.empty(), st.container()
        with st.container(horizontal=True, vertical_alignment="center"):
            next_step("pages/proxies.py", "Next: which columns reveal it?", icon=":material/search:")
            link("pages/compare.py", "What can still be guessed?", icon=":material/scatter_plot:")
            link("pages/data.py", "Choose other data", icon=":material/table:", audit="")
        stored = st.container()
        dataset = rows_or_ask(run, "Its rows, columns and missing values can be seen with the data.")
        if dataset is not None:
            title.title(titled(dataset.title, len(dataset)), anchor=False)
            with roles:
                show_roles_of(dataset)
            show_people(dataset)
        elif ends_whole(run.result_file):
            result = result_of(run)
            title.title(titled(result.provenance.title, result.provenance.rows), anchor=False)
            with roles:
                show_roles(result.label.name, result.label.classes, result.attributes, len(result.features.names))
            with stored:
                show_stored_groups(result)
        else:
            title.title(plain_markdown(data_title(run.spec)), anchor=False)


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
            dataset = without_copies(roles)
            if dataset is None:
                return
            if keep_draft(roles):
                remember_roles(roles)
                st.rerun()  # the frame was drawn with what was chosen before
            with top:
                simulated_bar(AUDIT.is_simulated(roles.spec))
            title.title(titled(dataset.title, len(dataset)), anchor=False)
            show_roles_of(dataset)
            with st.container(horizontal=True, vertical_alignment="center"):
                next_step("pages/proxies.py", "Next: which columns reveal it?", icon=":material/search:")
                if dataset.has_outcome:
                    link("pages/train.py", "Run the audit", icon=":material/play_circle:")
            ask_about_deciding(roles, dataset)
            show_people(dataset)


open_page("Data", "⚖️")
with guarded():
    if st.query_params.get(PARAMETER):
        show_audited()
    else:
        choose()

"""Ask, before training, about columns that decide the outcome by themselves: leave them out, or keep them."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.before_training.deciding import Deciding, deciding_columns
from diffoci.data.dataset import Dataset
from diffoci.data.tables.table import LabelCopied
from diffoci.ui.choices import set_choice
from diffoci.ui.forms.remembered_roles import remember_roles
from diffoci.ui.forms.role_fields import left_out_key
from diffoci.ui.links import link
from diffoci.ui.runs.draft import Draft, dataset_of, keep_draft
from diffoci.ui.words import plain_markdown

_KEPT = "columns-kept"


def ask_about_deciding(chosen: Draft, dataset: Dataset) -> None:
    """Ask about every column of the data chosen that decides the outcome and was not asked about before."""
    kept = st.session_state.setdefault(_KEPT, set())
    for one in _deciding(dataset.sha256, _dataset=dataset):
        if (chosen.data, one.column) not in kept:
            _ask(chosen, one.column, one.sentence(dataset.label_name), may_keep=True)


def without_copies(chosen: Draft) -> Dataset | None:
    """The dataset of a draft; where a column is the label under another name, ask about it and return None."""
    try:
        return dataset_of(chosen.spec)
    except LabelCopied as problem:
        _ask(chosen, problem.column, str(problem), may_keep=False)
        return None


def _ask(chosen: Draft, column: str, sentence: str, *, may_keep: bool) -> None:
    with st.container(key=f"deciding-{_place(column)}"):
        st.warning(plain_markdown(f"{sentence} Leave it out?"), icon=":material/help:")
        with st.container(horizontal=True):
            named = plain_markdown(column)
            st.button(
                f"Leave out {named}",
                key=f"leave-out-{_place(column)}",
                icon=":material/block:",
                on_click=_leave_out,
                args=(chosen, column),
            )
            if may_keep:
                st.button(f"Keep {named}", key=f"keep-{_place(column)}", on_click=_keep, args=(chosen, column))
                link("pages/scores.py", "It is my model's score: audit the model", icon=":material/speed:", audit="")


def _place(column: str) -> str:
    """A name for widgets, whatever signs are in the column's."""
    return column.encode().hex()[:60]


def _leave_out(chosen: Draft, column: str) -> None:
    before = chosen.options.get("drop", ())
    dropped = [*([before] if isinstance(before, str) else before), column]
    set_choice(left_out_key(chosen.data), dropped)
    without = chosen.changed(options={**chosen.options, "drop": dropped})
    keep_draft(without)
    remember_roles(without)  # the page, when it comes to it, finds nothing changed


def _keep(chosen: Draft, column: str) -> None:
    st.session_state.setdefault(_KEPT, set()).add((chosen.data, column))


# Keyed on the digest of the data, so nothing here can be out of date.
@st.cache_data(max_entries=50, show_spinner=False)
def _deciding(sha256: str, *, _dataset: Dataset) -> tuple[Deciding, ...]:
    return deciding_columns(_dataset)

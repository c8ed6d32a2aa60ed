"""What the home page offers to begin with, as sources declare it: examples of one click, and cards of data."""

from __future__ import annotations

import streamlit as st

from diffoci.data.source import Source
from diffoci.data.sources import list_examples, list_sources
from diffoci.ui.choices import forget_choices
from diffoci.ui.forms.obtaining import at_hand
from diffoci.ui.forms.source import WANTED
from diffoci.ui.links import go
from diffoci.ui.runs.draft import Draft, keep_draft
from diffoci.ui.runs.starting import wish_for_example


def example_buttons() -> None:
    """Offer each source's first audit; the first of them is what comes next for whoever is here for the first time."""
    for k, (source, example) in enumerate(list_examples()):
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(
                example.button,
                type="secondary" if k else "primary",
                icon=":material/play_arrow:",
                key=f"example-{source.name}" if k else "quick",
            ):
                wish_for_example(source.name)
                go("pages/train.py", audit="")
            real = not source.simulated and at_hand(source.name)
            whose = "Real data" if real else "Simulated people, marked as such"
            st.caption(f"{example.shows}. {whose}.", width="content")


def data_cards() -> None:
    """Show the cards side by side; on a narrow window they stack."""
    offered = [(source, source.card) for source in list_sources() if source.card is not None]
    with st.container(gap="small", key="cards"):
        for source, card in sorted(offered, key=lambda one: one[1].place):
            entry = source.entry
            with st.container(border=True, height="stretch", key=f"card-{entry.name}"):
                st.markdown(f"##### {card.icon} {entry.title}")
                st.markdown(card.text)
                st.caption(_where(source))
                if st.button(card.button, key=f"open-{entry.name}"):
                    forget_choices()
                    keep_draft(_first_draft(source))
                    st.session_state[WANTED] = entry.name
                    go("pages/data.py", audit="")  # other data than those of the audit in the address
        _model_card()


def _model_card() -> None:
    """The way to the audit of a model that exists."""
    with st.container(border=True, height="stretch", key="card-scores"):
        st.markdown("##### :material/speed: A model's scores")
        st.markdown(
            "A table with the scores or decisions of a model you have. What do they do to groups of people, at this "
            "threshold and at any other?"
        )
        st.caption("your file, Berkeley 1973, or simulated")
        if st.button("Audit a model", key="open-scores"):
            go("pages/scores.py", audit="")


def _first_draft(source: Source) -> Draft | None:
    """Return the draft a source starts from: its real rows where they are at hand, else its simulated twin."""
    if source.takes_file:
        return None
    return Draft(source.name, twin=source.twin is not None and not at_hand(source.name))


def _where(source: Source) -> str:
    if source.takes_file:
        return "stays on this machine"
    if source.simulated:
        return "simulated by design"
    if at_hand(source.name):
        return "real data, on this machine"
    return "simulated twin at once, real data by download" if source.twin else "real data by download"

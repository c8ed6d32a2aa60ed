"""Cards of the home page: the data an audit can begin with."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from diffoci.data.sources import is_at_hand
from diffoci.ui.choices import forget_choices
from diffoci.ui.draft import Draft, keep_draft
from diffoci.ui.links import go
from diffoci.ui.source_form import WANTED, kind_of


@dataclass(frozen=True)
class Card:
    """A way to begin: what it is, and the draft it starts from."""

    key: str
    icon: str
    title: str
    text: str
    data: str
    button: str = "Look at it"


CARDS = (
    Card(
        "acs",
        ":material/account_balance:",
        "Census (ACS)",
        "Income, employment and three more questions about people of one U.S. state. "
        "Can sex or race be guessed from occupation, hours and place of birth?",
        "acs-income",
    ),
    Card(
        "bank",
        ":material/savings:",
        "Bank Marketing",
        "41,188 calls of a Portuguese bank. Who subscribes a deposit, and does the answer give away who is married?",
        "bank",
    ),
    Card(
        "student",
        ":material/school:",
        "Student Performance",
        "395 pupils of two Portuguese schools. Who gets a good grade, and can their sex be guessed from how they live?",
        "student",
    ),
    Card(
        "csv",
        ":material/upload_file:",
        "Your CSV",
        "A table of your own, one row a person. Name the column to predict and the "
        "attributes that should not be guessable.",
        "csv:",
        "Upload a file",
    ),
    Card(
        "truth",
        ":material/target:",
        "Known truth",
        "Generated people whose leakage is known by construction: check what an audit finds against what is there.",
        "truth",
        "Generate",
    ),
)


def data_cards() -> None:
    """Show the cards side by side; on a narrow window they stack."""
    with st.container(gap="small", key="cards"):
        for card in CARDS:
            with st.container(border=True, height="stretch", key=f"card-{card.key}"):
                st.markdown(f"##### {card.icon} {card.title}")
                st.markdown(card.text)
                st.caption(_where(card.data))
                if st.button(card.button, key=f"open-{card.key}"):
                    forget_choices()
                    keep_draft(first_draft(card.data))
                    st.session_state[WANTED] = kind_of(card.data)
                    go("pages/data.py", audit="")  # other data than those of the audit in the address


def first_draft(data: str) -> Draft | None:
    """Return the draft a source starts from: its real rows where they are at hand, else its simulated twin."""
    if data == "csv:":
        return None
    return Draft(data, twin=data != "truth" and not at_hand(data))


@st.cache_data(ttl=20, show_spinner=False)
def at_hand(data: str) -> bool:
    """Say whether the real rows are on this machine; looked up now and then, not at every click."""
    return is_at_hand(data)


def _where(data: str) -> str:
    if data in ("csv:", "truth"):
        return "stays on this machine" if data == "csv:" else "simulated by design"
    return "real data, on this machine" if at_hand(data) else "simulated twin at once, real data by download"

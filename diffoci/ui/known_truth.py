"""Of generated data, show what is there by construction beside what was found."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from diffoci.audit.spec import AuditSpec
from diffoci.data.known import Known
from diffoci.data.sources import known_truth
from diffoci.ui.charts import show_wrapped
from diffoci.ui.words import plain_markdown


def known_of(spec: AuditSpec, attribute: str | None = None) -> Known | None:
    """What is known of the data of an audit, and of this attribute of them; None where the truth is not known."""
    known = known_truth(spec.data, spec.options, twin=spec.twin)
    return None if known is None or attribute not in (None, known.attribute) else known


def show_beside(table: pd.DataFrame, sentence: str, *, key: str) -> None:
    """The sentence and the table, in a box of their own."""
    with st.container(border=True, key="known-truth"):
        st.subheader("What is there, and what was found", anchor=False)
        st.markdown(plain_markdown(sentence))
        show_wrapped(table, key=key, alt="What is there by construction, and what was found")

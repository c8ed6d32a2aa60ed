"""Verdicts in words: what a method costs and brings, why, and what nobody can exceed."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from diffoci.audit.certificates.words import OF_CELLS, ceiling_sentence
from diffoci.audit.result import AuditResult
from diffoci.audit.words.verdicts import reason, sentence
from diffoci.figures.view import Row, View, rows_of
from diffoci.ui.words import plain_markdown


def show_verdicts(result: AuditResult, view: View, method: str | None) -> None:
    """The method looked at closely, and why its verdict is what it is; the others on demand."""
    rows = rows_of(result, view)
    alarms = [row.called for row in rows if row.found.below_chance]
    if alarms:
        names = plain_markdown(", ".join(alarms))
        st.warning(
            f"Guessing is clearly worse than chance for {names}: that is an alarm, so check the run.",
            icon=":material/warning:",
        )
    for row in rows:
        if row.name == method:
            said, why = _in_words(result, view, row)
            st.info(said, icon=":material/balance:")
            st.caption(why)
            _show_ceiling(result, view, row)
    with st.expander("Every method in words"):
        for row in rows:
            st.markdown(f"- {' '.join([*_in_words(result, view, row), _ceiling_of(result, view, row)])}")


def _in_words(result: AuditResult, view: View, row: Row) -> tuple[str, str]:
    """What a method costs and brings, and why its verdict is what it is."""
    said = sentence(result, result.method(row.name), view.attribute, view.place)
    return plain_markdown(said), plain_markdown(reason(view.attribute, view.place, row.found))


def _show_ceiling(result: AuditResult, view: View, row: Row) -> None:
    """What nobody exceeds; where there are too few people for that to say something, in small letters."""
    said = _ceiling_of(result, view, row)
    if row.ceiling(replace(view, score="auc")) is not None:
        st.info(said, icon=":material/vertical_align_top:")
        st.caption(OF_CELLS)
    elif said:
        st.caption(said)


def _ceiling_of(result: AuditResult, view: View, row: Row) -> str:
    """What nobody exceeds who receives the method's cells; they are those of the representation."""
    if view.place != "representation":
        return ""
    return plain_markdown(ceiling_sentence(result.method(row.name), view.attribute))

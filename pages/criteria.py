"""Criteria: what a model's score tells of an attribute, with no threshold, and what follows."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.words import sentence_case
from diffoci.figures import model_audit as figures
from diffoci.model_audit.result import Curve, ModelAuditResult, OneModel
from diffoci.model_audit.words import CRITERIA, MEASURES, criteria_headline, exclusion, power_words
from diffoci.report.model_audit.compared import PAIRED, TOGETHER, compared_words, criterion_pair_frame, pair_frame
from diffoci.report.model_audit.shown import (
    carrier_frame,
    carrier_words,
    ceiling_frame,
    criteria_table,
    gap_words,
    stretch_words,
    threshold_frame,
    what_if_words,
)
from diffoci.ui import guarded, link, next_step, open_page, show_drawing, show_wrapped
from diffoci.ui.choices import in_address
from diffoci.ui.runs.audits import finished_run
from diffoci.ui.runs.model_audits import is_model_audit, model_result_of
from diffoci.ui.words import plain_markdown


def show_criteria(result: ModelAuditResult) -> None:
    """The three criteria at once, what each asks for, and why they exclude each other."""
    show_drawing(figures.criteria(result), key="criteria")
    shown = set(result.criteria_frame()["criterion"])
    st.markdown("\n".join(f"- {plain_markdown(words)} = 0" for name, words in CRITERIA.items() if name in shown))
    for attribute in result.groups:
        if said := exclusion(result, attribute):
            st.info(plain_markdown(f"By {attribute}. {said}"), icon=":material/balance:")
    if said := power_words(result):
        st.caption(said)
    show_wrapped(criteria_table(result), key="criteria-table", alt="Every criterion of every model and attribute")
    for sentence in result.cannot:
        st.caption(plain_markdown(sentence))


def show_attribute(one: OneModel, attribute: str) -> None:
    """What else holds of one model and one attribute."""
    about = one.attributes[attribute]
    for k, gap in enumerate(about.gaps):
        st.subheader(plain_markdown(f"Given the factors: “{gap.group}” minus “{gap.reference}”"), anchor=False)
        st.markdown(plain_markdown(gap_words(gap)))
        if 0 < len(gap.strata) <= 30:
            show_drawing(figures.gap_by_stratum(gap), key=f"gap-{k}")
    if about.ceilings:
        st.subheader("Every threshold at once", anchor=False)
        show_wrapped(ceiling_frame(about), key="ceilings", alt="The largest gap of any threshold, and its ceiling")
    if about.curves:
        show_curves(about.curves, attribute)
    if about.carriers is not None:
        st.subheader("Which columns carry it", anchor=False)
        st.markdown(plain_markdown(carrier_words(about, attribute)))
        show_wrapped(carrier_frame(about.carriers, attribute), key="carriers", alt="What each column tells")
    if about.what_if:
        show_what_if(one, attribute)


def show_curves(curves: tuple[Curve, ...], attribute: str) -> None:
    """One measure along a number, and where each of them departs by more than chance."""
    st.subheader(plain_markdown(f"Along {attribute}"), anchor=False)
    named = {sentence_case(MEASURES[one.rate]): one for one in curves}
    chosen = named[st.selectbox("Measure", list(named), key="curve")]
    show_drawing(figures.curve(chosen, attribute), key="curve-picture")
    depart = [one for one in curves if one.worst is not None and one.worst.p_value <= figures.DEPARTS]
    for one in dict.fromkeys([chosen, *depart]):
        st.markdown(f"- {plain_markdown(stretch_words(one))}")


def show_what_if(one: OneModel, attribute: str) -> None:
    """Thresholds of their own for groups, and what they would cost."""
    st.subheader("What could be done", anchor=False)
    st.warning(figures.LAW, icon=":material/gavel:")
    entries = {figures.GOALS[entry.goal]: entry for entry in one.attributes[attribute].what_if}
    goal = st.radio("Goal", list(entries), key="what-if")
    st.markdown(plain_markdown(what_if_words(entries[goal])))
    show_wrapped(threshold_frame(entries[goal]), key="what-if-table", alt="Thresholds of every group")


def show_pairs(result: ModelAuditResult) -> None:
    """Every two models on the same people: whether one departs less, or has the smaller gap, by more than noise."""
    if not result.pairs and not result.paired_criteria:
        return
    st.subheader("Models compared on the same people", anchor=False)
    st.markdown("\n".join(f"- {plain_markdown(said)}" for said in compared_words(result)))
    st.caption(TOGETHER)
    if result.pairs:
        show_wrapped(pair_frame(result), key="pairs", alt="Gaps of two models")
    if result.paired_criteria:
        show_wrapped(criterion_pair_frame(result), key="paired-criteria", alt="Coefficients of two models")
        st.caption(PAIRED)


open_page("Criteria", "🎯")
with guarded():
    run = finished_run(is_model_audit, "This page is about a model's scores: open an audit of a model, or start one.")
    if run is not None:
        result = model_result_of(run)
        st.title(plain_markdown(criteria_headline(result)), anchor=False)
        show_criteria(result)
        left, right = st.columns(2)
        names = [one.name for one in result.models]
        name = left.selectbox("Model", names, **in_address("model"))
        attribute = right.selectbox("Attribute", list(result.model(name).attributes), **in_address("attribute"))
        if attribute is not None:
            show_attribute(result.model(name), attribute)
        show_pairs(result)
        st.divider()
        next_step("pages/decisions.py", "Next: rates at any threshold", icon=":material/groups:")
        link("pages/report.py", "Take it away as one file", icon=":material/description:")

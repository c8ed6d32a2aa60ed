"""Decisions of a model that exists: its rates by group as recorded, or at any threshold of the slider."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from msgspec.structs import replace

from diffoci.figures.decisions.weighted import SAID as WEIGHTED
from diffoci.figures.model_audit import calibrated, model_rates
from diffoci.model_audit.people import People
from diffoci.model_audit.rates import at_threshold
from diffoci.model_audit.result import ModelAuditResult, OneModel
from diffoci.model_audit.words import basis_words, gap_sentence
from diffoci.report.model_audit.shown import FEW_GROUPS, against_frame, rate_frame, ratio_frame, weighted_frame
from diffoci.ui.charts import show_drawing, show_wrapped
from diffoci.ui.choices import in_address
from diffoci.ui.decisions.gaps import warn_of_small
from diffoci.ui.decisions.law import show_laws_of_model
from diffoci.ui.guard import guarded
from diffoci.ui.links import link, next_step
from diffoci.ui.runs.audits import finished_run
from diffoci.ui.runs.model_audits import grouping_of, is_model_audit, model_result_of, people_of_run
from diffoci.ui.words import plain_markdown

_STEPS = 100
_BEFORE_RATES = 2  # columns: the group and its people
_MOST_SHOWN = 3  # rates beside one another, with their intervals


def show_model_decisions() -> None:
    """Draw the page for the model audit of the address."""
    run = finished_run(is_model_audit, "")
    if run is None:
        return
    result = model_result_of(run)
    if not result.models[0].comparisons:
        st.title("No groups to compare", anchor=False)
        st.markdown("Every attribute of this audit is a number; the Criteria page has the curves along it.")
        link("pages/criteria.py", "To the criteria", icon=":material/balance:")
        return
    title = st.empty()
    left, right = st.columns(2)
    name = left.selectbox("Model", [one.name for one in result.models], **in_address("model"))
    groupings = [comparison.attributes for comparison in result.model(name).comparisons]
    by = right.selectbox("Groups by", groupings, format_func=" × ".join, **in_address("by"))
    one = result.model(name)
    moved = (
        one.score is not None
        and one.scale != "quantity"
        and st.toggle(
            "Another threshold", help="While this is off: decisions as recorded, or as audited.", **in_address("moved")
        )
    )
    if moved:
        _at_any_threshold(result, one, by, people_of_run(run), title)
    else:
        title.title(plain_markdown(gap_sentence(one, one.by(*by)).removesuffix(".")), anchor=False)
        if one.basis != "none":  # of a predicted quantity nobody is selected
            said = f"Selected under {one.name}: {basis_words(one, result.spec.roles)}."
            st.markdown(plain_markdown(said) + _whose(result))
        _show(result, one, by)
        if (drawing := calibrated(one.by(*by), one.name)) is not None:
            show_drawing(drawing, key="model-calibration")
        show_laws_of_model(one.law)
    st.divider()
    next_step("pages/report.py", "Next: take the audit away as a report", icon=":material/description:")
    link("pages/criteria.py", "Back: the criteria", icon=":material/balance:")


def _whose(result: ModelAuditResult) -> str:
    return " The picture shows every model; the tables are about this one." if len(result.models) > 1 else ""


@st.fragment
def _at_any_threshold(
    result: ModelAuditResult,
    one: OneModel,
    by: tuple[str, ...],
    people: People,
    title: st.delta_generator.DeltaGenerator,
) -> None:
    """The part that runs again when the slider moves."""
    with guarded():
        model = people.model(one.name)
        score = np.asarray(model.score)
        low, high = float(score.min()), float(score.max())
        first = float(np.clip(0.5 if one.threshold is None else one.threshold, low, high))
        threshold = st.slider(
            "Selected: people with a score of at least",
            low,
            high,
            first,
            (high - low) / _STEPS,
            key=f"model-threshold-{one.name}",
        )
        comparison = at_threshold(grouping_of(people, by), people, model, threshold, result.spec.settings)
        moved = replace(one, basis="threshold", threshold=threshold, comparisons=(comparison,))
        title.title(plain_markdown(gap_sentence(moved, comparison).removesuffix(".")), anchor=False)
        _show(replace(result, models=(moved,)), moved, by)


def _show(result: ModelAuditResult, one: OneModel, by: tuple[str, ...]) -> None:
    comparison = one.by(*by)
    if any(group.rates for group in comparison.judged):
        show_drawing(model_rates(result, by), key="model-rates")
    warn_of_small(comparison.groups)
    frame = rate_frame(one, comparison).drop(columns="Model")
    chosen = list(frame.columns)
    if len(comparison.groups) > FEW_GROUPS:
        measures = chosen[_BEFORE_RATES:]
        chosen = st.multiselect(
            "In the tables", measures, measures[:3], key="model-measures", max_selections=_MOST_SHOWN
        )
        frame = frame[[*frame.columns[:_BEFORE_RATES], *chosen]]
    show_wrapped(frame, key="model-rate-table", alt="Rates of every group")

    def of_chosen(table: pd.DataFrame) -> pd.DataFrame:
        return table[table["Rate"].isin(chosen)] if len(comparison.groups) > FEW_GROUPS and len(table) else table

    if (weighted := of_chosen(weighted_frame(comparison))).shape[0]:
        st.subheader("Of the population", anchor=False)
        st.markdown(WEIGHTED)
        show_wrapped(weighted, key="model-weighted", alt="Rates of the population beside those of the rows")
    if (against := of_chosen(against_frame(comparison))).shape[0]:
        reference = plain_markdown(comparison.against[0].reference)
        st.subheader(f"Each group against {reference}", anchor=False)
        show_wrapped(against, key="model-against", alt="Differences and ratios")
    if (ratios := ratio_frame(comparison)).shape[0]:
        st.subheader("Four fifths", anchor=False)
        show_wrapped(ratios, key="model-ratios", alt="Selection rates against the highest")

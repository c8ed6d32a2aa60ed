"""Decisions: whom a threshold on the score would favour, two methods side by side."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from diffoci.audit.result import AuditResult
from diffoci.data.dataset import Dataset
from diffoci.figures.decisions import rates as decisions
from diffoci.figures.decisions import words as decision_words
from diffoci.figures.decisions.calibration import calibration
from diffoci.inputs import Ints
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, next_step, no_method_finished, open_page
from diffoci.ui.charts import show_drawing
from diffoci.ui.decisions.choosing import choose_beside, choose_compared, choose_threshold
from diffoci.ui.decisions.compared import compare
from diffoci.ui.decisions.gaps import show_any_threshold, show_gaps, show_weighted
from diffoci.ui.decisions.law import show_law, show_stored_law
from diffoci.ui.decisions.model import show_model_decisions
from diffoci.ui.known_truth import known_of
from diffoci.ui.runs.audits import found_run
from diffoci.ui.runs.model_audits import is_model_audit
from diffoci.ui.runs.results import result_of
from diffoci.ui.runs.rows import rows_or_ask
from diffoci.ui.words import plain_markdown


@st.fragment
def show_decisions(run: Run, result: AuditResult, dataset: Dataset) -> None:
    """Which methods and groups to compare, and all that follows."""
    with guarded():
        title = st.empty()
        st.markdown(plain_markdown(decision_words.selected_words(result.label)))
        attributes = [str(name) for name in dataset.sensitive]
        groupings = [(name,) for name in attributes] + ([tuple(attributes)] if len(attributes) > 1 else [])
        chosen, by = choose_compared(result, groupings)
        show_threshold(run, dataset, chosen, by, title, choose_beside(run, dataset))
        show_any_threshold(result, chosen, by)
        show_drawing(calibration(compare(run, dataset, chosen, by)), key="calibration")


@st.fragment
def show_stored(run: Run, result: AuditResult) -> None:
    """The decisions that the result has, at its own threshold, for want of the rows."""
    with guarded():
        title = st.empty()
        st.markdown(plain_markdown(decision_words.selected_words(result.label)))
        decided = {one.name: one.decisions for one in result.methods if one.decisions is not None}
        groupings = [comparison.attributes for comparison in next(iter(decided.values())).comparisons]
        chosen, by = choose_compared(result, groupings)
        compared = {words: decided[name].by(*by) for name, words in chosen.items()}
        name, words = list(chosen.items())[-1]
        st.markdown(f"As stored in the audit: predicted yes means a score of at least {decided[name].threshold}.")
        show_drawing(decisions.rates(compared), key="rates")
        title.title(plain_markdown(decision_words.headline(compared)), anchor=False)
        show_gaps(compared, by, known=known_of(run.spec))
        show_any_threshold(result, chosen, by)
        show_stored_law(decided[name].local_law_144, words)
        show_drawing(calibration(compared), key="calibration")


@st.fragment
def show_threshold(
    run: Run,
    dataset: Dataset,
    chosen: Mapping[str, str],
    by: tuple[str, ...],
    title: DeltaGenerator,
    beside: Mapping[str, Ints],
) -> None:
    """The part that runs again when a slider moves: everything a threshold decides, and nothing else."""
    with guarded():
        threshold = choose_threshold(dataset, by[0])
        # The picture first, with hardly any resampling, which it does not show: whoever moves the slider looks at it.
        drawn = compare(run, dataset, chosen, by, threshold, beside=beside, replicates=50)
        show_drawing(decisions.rates(drawn), key="rates")
        compared = compare(run, dataset, chosen, by, threshold, beside=beside)
        trained = {words: compared[words] for words in chosen.values()}
        title.title(plain_markdown(decision_words.headline(trained)), anchor=False)
        show_gaps(compared, by, known=known_of(run.spec))
        show_weighted(run, dataset, chosen, by, threshold)
        name, words = list(chosen.items())[-1]
        show_law(run, dataset, name, words, threshold, by[0])


open_page("Decisions", "🚦")
with guarded():
    if is_model_audit(found_run()):
        show_model_decisions()
    elif (run := finished_audit()) is not None:
        result = result_of(run)
        if not result.methods:
            no_method_finished()
        elif len(result.label.classes) != 2:
            st.title("Decisions need an outcome with two classes", anchor=False)
            st.markdown("Choose a positive class on the Data page and audit again.")
        else:
            stored = st.container()
            dataset = rows_or_ask(run, "To move the threshold, upload the file with the rows.")
            with stored:
                if dataset is not None:
                    show_decisions(run, result, dataset)
                else:
                    show_stored(run, result)
        st.divider()
        if result.methods:
            next_step("pages/report.py", "Next: take the audit away as a report", icon=":material/description:")
        link("pages/scores.py", "Audit a model you have", icon=":material/speed:", audit="")
        link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")

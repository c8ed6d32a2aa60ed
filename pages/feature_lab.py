"""Feature lab: choose features on the paper's data or on any table, with what people use today beside it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from diffoci.figures.labs import feature_lab as figures
from diffoci.figures.labs import lab_weights
from diffoci.figures.labs.lab_table import selector_table
from diffoci.labs.feature_selection.observations import OBSERVATIONS, ObservationResult
from diffoci.labs.feature_selection.result import LabResult
from diffoci.labs.feature_selection.synthetic import SYNTHETIC, curves
from diffoci.labs.feature_selection.training import VEC
from diffoci.labs.feature_selection.words import alike, headline, only_together_words
from diffoci.plain_text import counted
from diffoci.runs.progress import read_progress
from diffoci.runs.queue import goes_on, standing
from diffoci.runs.store import Run
from diffoci.ui import chosen_run, guarded, next_step, open_page, show_drawing, show_wrapped, simulated_bar
from diffoci.ui.forms.features import choose_lab
from diffoci.ui.links import PARAMETER
from diffoci.ui.runs.audits import found_run
from diffoci.ui.runs.beside_paper import show_beside_paper
from diffoci.ui.runs.feature_labs import is_of_feature_lab, lab_result_of
from diffoci.ui.runs.live import named, show_parts, show_stopped, show_trainings, watch, watch_training
from diffoci.ui.runs.starting import begin
from diffoci.ui.taking_away import offer_lab_report
from diffoci.ui.words import plain_markdown


def set_up() -> None:
    """Describe a study and start it."""
    st.title("Which features determine the outcome?", anchor=False)
    st.markdown(
        "FOCI and difFOCI beside what people use today, on data whose truth is known, on the paper's data, or on a "
        "table of yours. Every repetition draws or splits the rows anew; choices are made on validation rows, and what "
        "you see is measured on test rows."
    )
    asked = choose_lab()
    if asked is None:
        return
    simulated_bar(asked.study.is_simulated(asked.spec))
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Start", type="primary", icon=":material/play_arrow:", key="lab-start"):
            st.query_params.from_dict({PARAMETER: begin(asked.spec, asked.study).id})
            st.rerun()
        st.markdown(asked.study.details(asked.spec), width="content")


def show_run(run: Run) -> None:
    """Show a run in whatever state it is."""
    simulated_bar(run.study.is_simulated(run.spec))
    if goes_on(run):
        st.title(f"Choosing features: {named(run)}", anchor=False)
        watch(run.id)
        watch_training(run.id)
    elif standing(run).state == "done":
        result = lab_result_of(run)
        if isinstance(result, ObservationResult):
            show_observations(result)
        elif isinstance(result, LabResult):
            show_result(result)
        else:
            show_beside_paper(run.study, result)
        offer_lab_report(run, result)
        with st.expander("Parts of the run", icon=":material/list:"):
            show_parts(read_progress(run.folder))
        show_trainings(run, read_progress(run.folder))
    else:
        show_stopped(run)


def show_result(result: LabResult) -> None:
    """What was found, and what it rests on."""
    st.title(plain_markdown(headline(result)), anchor=False)
    st.caption(plain_markdown(f"{result.title}. {result.about}; {counted(len(result.spec.seeds), 'repetition')}"))
    if near := alike(result):
        st.caption(plain_markdown(f"Not clearly different from the lowest: {', '.join(near)}."))
    if (tried := figures.betas(result)) is not None:
        show_drawing(tried, key="lab-beta")
    else:
        show_drawing(figures.errors(result), key="lab-errors")
    if said := only_together_words(result):
        st.info(plain_markdown(said), icon=":material/star:")
    show_wrapped(selector_table(result), key="lab-table", alt="Every selector with its scores")
    if (shares := figures.frequencies(result)) is not None:
        show_drawing(shares, key="lab-frequencies")
    if tried is None:
        show_drawing(figures.at_a_glance(result), key="lab-glance")
        for k, drawing in enumerate(lab_weights.theta_paths(result)):
            show_drawing(drawing, key=f"lab-theta-{k}")
        one = result.find(VEC)
        if one is not None and (ends := lab_weights.sizes(result, one)) is not None:
            show_drawing(ends, key="lab-sizes")
    if result.spec.problem == SYNTHETIC.name:
        show_curves(result)
    for note in (*result.notes, *result.failures.values()):
        st.caption(plain_markdown(note))


def show_observations(result: ObservationResult) -> None:
    """What T prefers among functions of three columns."""
    st.title(plain_markdown(OBSERVATIONS.headline(result).removesuffix(".")), anchor=False)
    drawing = figures.observations(result)
    show_drawing(drawing, key="lab-observations")
    show_wrapped(drawing.data.round(3), key="lab-observations-table", alt="T of every expression")


def show_curves(result: LabResult) -> None:
    """The curves of the synthetic environment, those that vec-dF1 chose in colour."""
    points, made, names = curves(result.rows)
    one = result.find(VEC)
    selected = () if one is None else one.repetitions[0].selected or ()
    chosen = sorted({k % len(names) for k in selected})  # copies of a curve are one curve
    show_drawing(lab_weights.curves(list(points), np.asarray(made), names, chosen), key="lab-curves")


open_page("Feature lab", "🔬")
with guarded():
    opened = found_run()
    if opened is not None and is_of_feature_lab(opened):
        show_run(opened)
        st.divider()
        next_step("pages/feature_lab.py", "Set up another study", icon=":material/add:", audit="")
    elif opened is not None or PARAMETER not in st.query_params:
        set_up()  # whoever has an audit open and comes by the sidebar wants the lab
    else:
        chosen_run()  # says that there is no such run

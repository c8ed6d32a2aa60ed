"""Spurious lab: does a network look at the bird or at the water?"""

from __future__ import annotations

import streamlit as st

from diffoci.labs.spurious.data.kinds import KINDS
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.labs.spurious.words import headline
from diffoci.plain_text import counted
from diffoci.runs.files import ends_whole
from diffoci.runs.queue import goes_on
from diffoci.runs.store import Run
from diffoci.ui import guarded, link, next_step, open_page, simulated_bar
from diffoci.ui.links import PARAMETER
from diffoci.ui.runs.audits import found_run
from diffoci.ui.runs.live import show_stopped, watch
from diffoci.ui.runs.starting import begin
from diffoci.ui.spurious.after import (
    show_features,
    show_gallery,
    show_learnt_from,
    show_paper,
    show_studies,
    show_worst_groups,
)
from diffoci.ui.spurious.before import choose_data, choose_training, show_groups
from diffoci.ui.spurious.runs import is_lab_run, lab_result_of
from diffoci.ui.taking_away import offer_lab_report
from diffoci.ui.words import plain_markdown


def set_up() -> None:
    """Groups and images first, then the shortcut, then what to train."""
    st.title("Does the network look at the bird or at the water?", anchor=False)
    st.markdown("Ten minutes on why 97 % accuracy can hide a model that looks at the water.")
    data = choose_data()
    show_groups(data)
    spec = choose_training(data)
    if spec is None:
        return
    trainings = len(spec.seeds) * (len(spec.methods) + len(spec.lambdas) + len(spec.betas))
    if st.button("Train the networks", type="primary", icon=":material/play_arrow:", key="spurious-start"):
        run = begin(spec, SPURIOUS_LAB)
        st.query_params.from_dict({PARAMETER: run.id})
        st.rerun()
    st.caption(f"{counted(trainings, 'training')} of about ten to twenty seconds each on one core.")
    show_paper()


def show_run(run: Run) -> None:
    """A run in whatever state it is."""
    simulated_bar(SPURIOUS_LAB.is_simulated(run.spec))
    if goes_on(run) and not ends_whole(run.result_file):
        st.title(plain_markdown(f"Training: {SPURIOUS_LAB.describe(run.spec)}"), anchor=False)
        watch(run.id)
        if KINDS[run.spec.data].drawn is not None:
            show_groups(run.spec.data, rows=run.spec.rows)
        return
    if not ends_whole(run.result_file):
        show_stopped(run)
        link("pages/spurious_lab.py", "Set up another run", icon=":material/add:", audit="")
        return
    result = lab_result_of(run)
    st.title(plain_markdown(headline(result).removesuffix(".")), anchor=False)
    show_learnt_from(run, result)
    show_worst_groups(result)
    show_gallery(run, result)
    show_features(result)
    show_studies(result)
    show_paper()
    st.divider()
    offer_lab_report(run, result)
    next_step("pages/spurious_lab.py", "Set up another run", icon=":material/add:", audit="")


open_page("Spurious lab", "🦆")
with guarded():
    opened = found_run()
    if opened is not None and is_lab_run(opened):
        show_run(opened)
    else:
        set_up()

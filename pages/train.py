"""Train: choose methods and settings, start an audit, watch it."""

import streamlit as st

from diffoci.runs import Run, read_progress
from diffoci.ui import chosen_audit, draft, draft_dataset, guarded, keep_draft, link, open_page
from diffoci.ui.choices import forget_choices
from diffoci.ui.draft import draft_from
from diffoci.ui.estimate import estimate, memory_words
from diffoci.ui.findings import headline_of, is_of_other_versions
from diffoci.ui.links import PARAMETER, go
from diffoci.ui.live import named, offer_resume, show_parts, show_trainings, watch, watch_training
from diffoci.ui.queue import goes_on, standing
from diffoci.ui.starting import begin, begin_wished
from diffoci.ui.train_form import choose_audit
from diffoci.ui.words import counted, data_title, duration, plain_markdown


def set_up() -> None:
    """Describe an audit of the data chosen, say how long it takes, start it."""
    chosen = draft()
    if chosen is None:
        st.title("Train", anchor=False)
        with st.container(border=True):
            st.subheader("No data chosen yet.", anchor=False)
            st.markdown("An audit starts from data: choose a source, or open one of the recent audits.")
            link("pages/data.py", "Choose data", icon=":material/table:")
            link("app.py", "Recent audits", icon=":material/home:")
        return
    st.title(plain_markdown(f"Audit {data_title(chosen.spec)}"), anchor=False)
    dataset = draft_dataset()
    spec = choose_audit(chosen)
    if spec is None or dataset is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Start the audit", type="primary", icon=":material/play_arrow:", key="train-start"):
            st.query_params.from_dict({PARAMETER: begin(spec).id})  # of the draft there is an audit now
            st.rerun()
        parts = f"{counted(len(spec.methods), 'method')}, {counted(len(spec.seeds), 'seed')}, {len(dataset):,} people"
        st.markdown(
            f"{parts}: about **{duration(estimate(spec, dataset))}**, {memory_words(spec, dataset)}.", width="content"
        )


def show_audit(run: Run) -> None:
    """Show an audit in whatever state it is."""
    if goes_on(run):
        st.title(f"Auditing {named(run)}", anchor=False)
        watch(run.id)
        watch_training(run.id)
        return
    status = standing(run)
    st.title(named(run), anchor=False)
    if status.state == "done":
        st.info(plain_markdown(headline_of(run) or "The audit is finished."), icon=":material/check_circle:")
        if status.message:
            st.warning(plain_markdown(status.message), icon=":material/warning:")
        with st.container(horizontal=True):
            link("pages/compare.py", "Compare the methods", icon=":material/scatter_plot:")
            link("pages/features.py", "Features dropped", icon=":material/filter_list:")
            link("pages/decisions.py", "Decisions by group", icon=":material/groups:")
        if status.message or is_of_other_versions(run):
            offer_resume(run)
    else:
        say_stopped(status.state, status.message)
        offer_resume(run)
    progress = read_progress(run.folder)
    show_parts(progress)
    show_trainings(run, progress)


def say_stopped(state: str, message: str) -> None:
    """Say why an audit does not go on."""
    words = {
        "waiting": "This audit was set up and never started.",
        "failed": f"This audit failed. {message}",
        "cancelled": "This audit was cancelled. What was finished is kept: resume it whenever you like.",
        "interrupted": "This audit was interrupted: its process ended before it did. What was finished is kept.",
    }
    show = st.error if state == "failed" else st.warning
    show(plain_markdown(words[state].strip()), icon=":material/error:")


open_page("Train")
with guarded():
    if (wished := begin_wished()) is not None:
        st.query_params.from_dict({PARAMETER: wished.id})
        st.rerun()
    if PARAMETER in st.query_params:
        if (audit := chosen_audit()) is not None:
            show_audit(audit)
            if st.button("Set up another audit of these data", icon=":material/add:", key="train-another"):
                forget_choices()
                keep_draft(draft_from(audit.spec))
                go("pages/train.py", audit="")
        link("pages/data.py", "Choose other data", icon=":material/table:", audit="")
    else:
        set_up()

"""Train: choose methods and settings, start an audit, watch it; runs of other studies are watched here, too."""

import streamlit as st

from diffoci.audit.cost.time import estimate, memory_words
from diffoci.audit.splitting import FOLD_ROWS
from diffoci.audit.study import AUDIT, data_title
from diffoci.plain_text import counted
from diffoci.runs.cell_files import are_of_other_versions
from diffoci.runs.progress import read_progress
from diffoci.runs.queue import goes_on, standing
from diffoci.runs.store import Run, Status
from diffoci.ui import chosen_run, draft, draft_dataset, guarded, keep_draft, link, next_step, open_page
from diffoci.ui.choices import forget_choices
from diffoci.ui.forms.deciding import ask_about_deciding
from diffoci.ui.forms.training import choose_audit
from diffoci.ui.links import PARAMETER, RESULT_PAGES, go
from diffoci.ui.runs.draft import draft_from
from diffoci.ui.runs.findings import headline_of
from diffoci.ui.runs.live import named, offer_resume, show_parts, show_trainings, watch, watch_training
from diffoci.ui.runs.own_runs import own_runs
from diffoci.ui.runs.rows import local_spec
from diffoci.ui.runs.starting import begin, begin_wished
from diffoci.ui.words import duration, plain_markdown


def set_up() -> None:
    """Describe an audit of the data chosen, say how long it takes, start it."""
    chosen = draft()
    if chosen is None:
        st.title("Train", anchor=False)
        with st.container(border=True):
            st.subheader("No data chosen yet.", anchor=False)
            st.markdown("An audit starts from data: choose a source, or open one of the recent audits.")
            next_step("pages/data.py", "Choose data", icon=":material/table:")
            link("app.py", "Recent audits", icon=":material/home:")
        return
    st.title(plain_markdown(f"Audit {data_title(chosen.spec)}"), anchor=False)
    dataset = draft_dataset()
    if dataset is not None and not dataset.has_outcome:
        ask_for_outcome()
        return
    if dataset is not None:
        ask_about_deciding(chosen, dataset)
    spec = choose_audit(chosen, FOLD_ROWS if dataset is None else len(dataset))
    if spec is None or dataset is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Start the audit", type="primary", icon=":material/play_arrow:", key="train-start"):
            st.query_params.from_dict({PARAMETER: begin(spec).id})  # of the draft there is an audit now
            st.rerun()
        parts = (
            f"{counted(len(spec.methods), 'method')}, {counted(len(spec.seeds), 'repetition')}, {len(dataset):,} people"
        )
        seconds = estimate(spec, dataset, earlier=own_runs())
        st.markdown(f"{parts}: about **{duration(seconds)}**, {memory_words(spec, dataset)}.", width="content")


def ask_for_outcome() -> None:
    """Say what an audit needs beside the attributes, which are enough for Proxies."""
    with st.container(border=True):
        st.subheader("An audit needs an outcome.", anchor=False)
        st.markdown(
            "Name the column to predict on the Data page: an audit asks what it costs to predict it without revealing "
            "the attribute. Which columns reveal the attribute can be seen without one."
        )
        link("pages/data.py", "Name the outcome", icon=":material/table:")
        link("pages/proxies.py", "Which columns reveal it?", icon=":material/search:")


def show_run(run: Run) -> None:
    """Show a run in whatever state it is."""
    if goes_on(run):
        st.title(f"{'Auditing' if is_audit(run) else 'Running'} {named(run)}", anchor=False)
        watch(run.id)
        watch_training(run.id)
        return
    status = standing(run)
    st.title(named(run), anchor=False)
    if status.state == "done":
        show_end(run, status.message)
    else:
        say_stopped("audit" if is_audit(run) else "run", status)
        offer_resume(run)
    progress = read_progress(run.folder)
    show_parts(progress)
    show_trainings(run, progress)


def is_audit(run: Run) -> bool:
    return run.study.name == AUDIT.name


def show_end(run: Run, message: str) -> None:
    """Say what a finished run found, and where to read more."""
    st.info(plain_markdown(headline_of(run) or "It is finished."), icon=":material/check_circle:")
    if message:
        st.warning(plain_markdown(message), icon=":material/warning:")
    if is_audit(run):
        with st.container(horizontal=True, vertical_alignment="center"):
            next_step("pages/compare.py", "Compare the methods", icon=":material/scatter_plot:")
            link("pages/features.py", "Features dropped", icon=":material/filter_list:")
            link("pages/decisions.py", "Decisions by group", icon=":material/groups:")
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            for k, (path, words, icon) in enumerate(RESULT_PAGES.get(run.study.name, ())):
                (link if k else next_step)(path, words, icon=icon)
    if message or are_of_other_versions(run.cells):
        offer_resume(run, comes_next=False)


def say_stopped(what: str, status: Status) -> None:
    """Say why a run does not go on."""
    words = {
        "waiting": f"This {what} was set up and never started.",
        "failed": f"This {what} failed. {status.message}",
        "cancelled": f"This {what} was cancelled. What was finished is kept: resume it whenever you like.",
        "interrupted": f"This {what} was interrupted: its process ended too early. What was finished is kept.",
    }
    show = st.error if status.state == "failed" else st.warning
    show(plain_markdown(words[status.state].strip()), icon=":material/error:")


open_page("Train")
with guarded():
    if (wished := begin_wished()) is not None:
        st.query_params.from_dict({PARAMETER: wished.id})
        st.rerun()
    if PARAMETER in st.query_params:
        if (run := chosen_run()) is not None:
            show_run(run)
            if is_audit(run) and st.button(
                "Set up another audit of these data", icon=":material/add:", key="train-another"
            ):
                forget_choices()
                keep_draft(draft_from(local_spec(run)))
                go("pages/train.py", audit="")
        link("pages/data.py", "Choose other data", icon=":material/table:", audit="")
    else:
        set_up()

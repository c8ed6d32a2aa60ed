"""Features dropped: which features difFOCI drops for which sensitive attribute."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.dropping import Dropping, drop
from diffoci.audit.result import AuditResult
from diffoci.audit.words import listed
from diffoci.figures import features, known_truth
from diffoci.figures.before_training.distribution import distribution
from diffoci.figures.weights import weights
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, next_step, open_page
from diffoci.ui.charts import show_drawing
from diffoci.ui.choices import in_address
from diffoci.ui.known_truth import known_of, show_beside
from diffoci.ui.runs.results import result_of
from diffoci.ui.runs.rows import dataset_of_run, rows_or_ask
from diffoci.ui.words import plain_markdown


@st.fragment
def show_dropping(run: Run, result: AuditResult) -> None:
    """Everything the cutoff decides, and nothing else: it runs again, from the weights of every seed, with the slider.

    A click on a row opens the feature.
    """
    with guarded():
        title = st.empty()
        stored = result.features.conditions[0].cutoff
        cutoff = st.slider(
            "Cutoff",
            min_value=0.0,
            max_value=2.0,
            value=stored,
            step=0.01,
            **in_address("cutoff"),
            help="A feature counts as dropped if the size of its weight θ is at most this. The paper uses 0.1.",
        )
        found = drop(result, cutoff)
        left, right = st.columns([3, 1])
        with left:
            show_drawing(features.matrix(found), key="features", on_click=look_at)
        title.title(plain_markdown(features.headline(found)), anchor=False)
        with right:
            show_paper(result, found)
        if (known := known_of(run.spec)) is not None:
            sentence = "What each feature reveals and predicts by construction, and whether its weight was dropped."
            show_beside(known_truth.features_dropped(known, found), sentence, key="known-features")
        st.subheader("Weights, repetition by repetition", anchor=False)
        titles = features.titles(found)
        condition = st.selectbox("Trained", range(len(titles)), format_func=titles.__getitem__, **in_address("trained"))
        show_drawing(weights(found, condition), key="weights")
    if clicked := st.session_state.pop("feature-clicked", None):
        open_feature(run, result, clicked)


def look_at(feature: str) -> None:
    """Open a feature."""
    st.session_state["feature-clicked"] = feature


@st.dialog("One feature", width="large")
def open_feature(run: Run, result: AuditResult, feature: str) -> None:
    """The feature whose row was clicked, above the page, where the reader looks."""
    attribute = show_numbers(result, feature, key="clicked")
    with guarded():
        show_drawing(distribution(dataset_of_run(run), feature, attribute), key="clicked-distribution")


def show_paper(result: AuditResult, found: Dropping) -> None:
    """What the paper dropped, and how to read the matrix."""
    with st.container(border=True):
        st.markdown("**What the paper dropped here**")
        lines = features.paper_sentences(result.paper, found)
        for line in lines or ["The paper has no list for these data and attributes."]:
            st.markdown(plain_markdown(line))
        if lines and not result.provenance.real:
            st.caption("The paper used the real data; these are simulated.")
    with st.container(border=True):
        st.markdown("**How to read this**")
        st.markdown(
            "A bar is the weight θ of a feature. ✕ with a hollow bar: dropped. *4/5*: within the cutoff in 4 of 5 "
            "repetitions. A red box: dropped only when all attributes are accounted for together."
        )
        if found.only_together:
            st.markdown(f"Only together: **{plain_markdown(listed(found.only_together))}**")


@st.fragment
def show_feature(run: Run, result: AuditResult) -> None:
    """One feature, chosen from a list: what a click on its row opens, for those who use no mouse."""
    st.subheader("A closer look at one feature", anchor=False)
    feature = st.selectbox("Feature (or click its row above)", result.features.names, **in_address("feature"))
    attribute = show_numbers(result, feature, key="feature")
    with guarded():
        dataset = rows_or_ask(run, "To see how a feature is distributed in each group, upload the file with the rows.")
        if dataset is not None:
            show_drawing(distribution(dataset, feature, attribute), key="feature-distribution")


def show_numbers(result: AuditResult, feature: str, *, key: str) -> str:
    """The coefficients of a feature for the attribute chosen, which is returned."""
    attribute = st.selectbox(f"{plain_markdown(feature)} by", result.attributes, key=f"{key}-attribute")
    exact = result.features.exact
    view = None if exact is None else exact.columns.get(feature)
    if view is not None and attribute in view.sensitive:
        told = view.sensitive[attribute]
        cells = st.columns(3)
        named = plain_markdown(attribute)
        cells[0].metric(
            f"T({named}, X)",
            _coefficient(told.T),
            help="0: says nothing about it; 1: reveals it completely.",
        )
        cells[1].metric(
            "p-value",
            f"{told.p_value:.2f}" if told.p_value is not None else "unknown",
            help="How often shuffled rows make any of the features look this revealing.",
        )
        cells[2].metric(
            f"T(y, X | {named})",
            _coefficient(told.T_y_given),
            help="What it says about the outcome within groups.",
        )
    return attribute


def _coefficient(value: float) -> str:
    return f"{value:.3f}".replace("-0.000", "0.000").replace("-", "−")


open_page("Features dropped", "🧮")
with guarded():
    run = finished_audit()
    if run is not None:
        result = result_of(run)
        if result.features.conditions:
            show_dropping(run, result)
            show_feature(run, result)
        else:
            st.title("No feature weights in this audit", anchor=False)
            st.markdown("The trainings that give every feature a weight failed; the Train page says why.")
        st.divider()
        next_step("pages/decisions.py", "Next: who do the decisions favour", icon=":material/groups:")
        link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")

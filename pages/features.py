"""Features dropped: which features difFOCI drops for which sensitive attribute."""

from __future__ import annotations

import streamlit as st

from diffoci.figures import features
from diffoci.figures.distribution import distribution
from diffoci.figures.reading import Result, attributes
from diffoci.figures.words import listed
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, open_page
from diffoci.ui.charts import show_drawing
from diffoci.ui.results import dataset_of_run, result_of
from diffoci.ui.words import plain_markdown


def headline(found: features.Dropping) -> str:
    """How many features each attribute costs."""
    counts = [f"{int(gone.sum())} {title}" for title, gone in zip(found.titles, found.dropped, strict=True)]
    return f"Dropped of {len(found.names)} features: {listed(counts)}"


@st.fragment
def show_dropping(run: Run, result: Result) -> None:
    """Everything the cutoff decides, and nothing else: it runs again, from the weights of every seed, with the slider.

    A click on a row opens the feature.
    """
    with guarded():
        title = st.empty()
        stored = float(result["features"]["conditions"][0]["cutoff"])
        cutoff = st.slider(
            "Cutoff",
            min_value=0.0,
            max_value=2.0,
            value=stored,
            step=0.01,
            help="A feature counts as dropped where the size of its weight θ is at most this. The paper uses 0.1.",
        )
        found = features.dropping(result, cutoff)
        left, right = st.columns([3, 1])
        with left:
            show_drawing(features.matrix(found), key="features", on_click=look_at)
        title.title(plain_markdown(headline(found)), anchor=False)
        with right:
            show_paper(result, found)
        st.subheader("Weights, seed by seed", anchor=False)
        condition = st.selectbox("Trained", range(len(found.titles)), format_func=found.titles.__getitem__)
        show_drawing(features.weights(found, condition), key="weights")
    if clicked := st.session_state.pop("feature-clicked", None):
        open_feature(run, result, clicked)


def look_at(feature: str) -> None:
    """Open a feature."""
    st.session_state["feature-clicked"] = feature


@st.dialog("One feature", width="large")
def open_feature(run: Run, result: Result, feature: str) -> None:
    """The feature whose row was clicked, above the page, where the reader looks."""
    show_one(run, result, feature, key="clicked")


def show_paper(result: Result, found: features.Dropping) -> None:
    """What the paper dropped, and how to read the matrix."""
    with st.container(border=True):
        st.markdown("**What the paper dropped here**")
        lines = features.paper_sentences(result, found)
        for line in lines or ["The paper has no list for these data and attributes."]:
            st.markdown(plain_markdown(line))
        if lines and not result["provenance"]["real"]:
            st.caption("The paper used the real data; these are simulated.")
    with st.container(border=True):
        st.markdown("**How to read this**")
        st.markdown(
            "A bar is the weight θ of a feature. ✕ with a hollow bar: dropped. *4/5*: within the cutoff in 4 of 5 "
            "seeds. A red box: dropped only when all attributes are given together."
        )
        if found.only_together:
            st.markdown(f"Only together: **{plain_markdown(listed(list(found.only_together)))}**")


@st.fragment
def show_feature(run: Run, result: Result) -> None:
    """One feature, chosen from a list: what a click on its row opens, for those who use no mouse."""
    st.subheader("A closer look at one feature", anchor=False)
    feature = st.selectbox("Feature (or click its row above)", result["features"]["names"], key="feature")
    show_one(run, result, feature, key="feature")


def show_one(run: Run, result: Result, feature: str, *, key: str) -> None:
    """The coefficients of a feature and how it is distributed in each group."""
    attribute = st.selectbox(f"{plain_markdown(feature)} by", attributes(result), key=f"{key}-attribute")
    exact = (result["features"]["exact"] or {"columns": {}})["columns"].get(feature)
    if exact and attribute in exact["sensitive"]:
        told = exact["sensitive"][attribute]
        cells = st.columns(3)
        named = plain_markdown(attribute)
        cells[0].metric(f"T({named}, X)", f"{told['T']:.3f}", help="0: says nothing about it; 1: gives it away.")
        cells[1].metric(
            "p-value",
            f"{told['p_value']:.2f}" if told["p_value"] is not None else "unknown",
            help="How often shuffled rows let any of the features tell as much.",
        )
        cells[2].metric(f"T(y, X | {named})", f"{told['T_y_given']:.3f}", help="What it adds on y given the group.")
    with guarded():
        show_drawing(distribution(dataset_of_run(run), feature, attribute), key=f"{key}-distribution")


open_page("Features dropped", "🧮")
with guarded():
    run = finished_audit()
    if run is not None:
        result = result_of(run)
        if result["features"]["conditions"]:
            show_dropping(run, result)
            show_feature(run, result)
        else:
            st.title("No feature weights in this audit", anchor=False)
            st.markdown("The trainings that give every feature a weight failed; the Train page says why.")
        st.divider()
        link("pages/decisions.py", "Next: whom would decisions favour", icon=":material/groups:")
        link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")

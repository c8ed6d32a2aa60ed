"""Proxies: before any training, which features give a sensitive attribute away."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from diffoci.data.dataset import Dataset
from diffoci.figures import proxies
from diffoci.figures.distribution import distribution
from diffoci.figures.foci_paths import paths
from diffoci.ui import chosen_audit, draft_dataset, guarded, link, open_page, show_table
from diffoci.ui.charts import show_drawing
from diffoci.ui.links import PARAMETER, audit_id
from diffoci.ui.results import dataset_of_run, proxies_of
from diffoci.ui.words import plain_markdown


def dataset_in_view() -> Dataset | None:
    """The data of the audit in the address, else those chosen on the Data page; without either, say what to do."""
    if st.query_params.get(PARAMETER):
        run = chosen_audit()
        return None if run is None else dataset_of_run(run)
    dataset = draft_dataset()
    if dataset is None or not len(dataset.sensitive.columns):
        with st.container(border=True):
            st.subheader("No data chosen yet.", anchor=False)
            st.markdown("Choose data and at least one sensitive attribute; this page then needs no training.")
            link("pages/data.py", "Choose data", icon=":material/table:")
        return None
    return dataset


def show_proxies(dataset: Dataset, title: DeltaGenerator) -> None:
    """The pictures, all from one computation that is kept."""
    views, labels = proxies_of(dataset), {column.name: column.label for column in dataset.columns}
    names = list(views["paths"])[1:]
    if not names:
        st.info("The sensitive attributes are constant in these data; choose others.")
        return
    attribute = st.selectbox("Attribute", names, help="Whose traces are looked for.")
    table = proxies.proxy_table(views, attribute, labels)
    title.title(plain_markdown(proxies.headline(table, attribute)), anchor=False)
    left, right = st.columns(2)
    with left:
        show_drawing(proxies.scatter(table, attribute, rows=views["rows"]), key="scatter", on_click=look_at)
    with right:
        show_drawing(paths(views), key="paths")
    with guarded():
        show_feature(dataset, attribute, table["feature"].tolist())
    st.subheader("Every feature and attribute", anchor=False)
    show_drawing(proxies.heat_map(views, labels), key="heat-map")
    with st.expander("As a table"):
        show_table(table.round(3), key="proxies", alt="What each feature tells")


def look_at(feature: str) -> None:
    """Choose the feature of `show_feature`."""
    st.session_state["proxy"] = feature


def show_feature(dataset: Dataset, attribute: str, names: list[str]) -> None:
    """How one feature is distributed in each group."""
    st.subheader("A closer look at one feature", anchor=False)
    feature = st.selectbox("Feature (or click it in the picture)", names, key="proxy")
    show_drawing(distribution(dataset, feature, attribute), key="distribution")


open_page("Proxies", "🔎")
with guarded():
    title = st.empty()
    title.title("Which columns give the attribute away?", anchor=False)
    data = dataset_in_view()
    if data is not None:
        show_proxies(data, title)
        st.caption(
            "T is Azadkia and Chatterjee's coefficient: 0 says nothing, 1 everything; p-values are from shuffled "
            "rows and say how often any of the features would tell as much by chance. "
            "A feature that tells nothing alone may still tell together with others: FOCI's steps show that."
        )
        st.divider()
        if audit_id() is None:
            link("pages/train.py", "Next: run the audit", icon=":material/play_circle:")
        else:
            link("pages/compare.py", "Next: what can still be guessed", icon=":material/scatter_plot:")

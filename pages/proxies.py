"""Proxies: before any training, which features give a sensitive attribute away."""

from __future__ import annotations

import streamlit as st

from diffoci.data.dataset import Dataset
from diffoci.figures import proxies
from diffoci.figures.distribution import distribution
from diffoci.figures.foci_paths import paths
from diffoci.ui import draft_dataset, guarded, link, open_page, show_table
from diffoci.ui.audits import found_audit
from diffoci.ui.charts import show_drawing
from diffoci.ui.links import audit_id
from diffoci.ui.results import dataset_of_run, proxies_of
from diffoci.ui.words import plain_markdown


def dataset_in_view() -> Dataset | None:
    """The data of the audit in the address, else those chosen on the Data page."""
    run = found_audit()
    return dataset_of_run(run) if run is not None else draft_dataset()


def show_nothing() -> None:
    """No data: say what to do."""
    with st.container(border=True):
        if st.query_params.get("audit") and audit_id() is not None:
            st.subheader("This audit cannot be opened.", anchor=False)
        else:
            st.subheader("No data chosen yet.", anchor=False)
        st.markdown("Choose data and at least one sensitive attribute; this page then needs no training.")
        link("pages/data.py", "Choose data", icon=":material/table:")


def show_proxies(dataset: Dataset) -> None:
    """The pictures, all from one computation that is kept."""
    views, labels = proxies_of(dataset), {column.name: column.label for column in dataset.columns}
    title, names = st.empty(), list(views["paths"])[1:]
    if not names:
        st.info("The sensitive attributes are constant in these data; choose others.")
        return
    attribute = st.selectbox("Attribute", names, help="Whose traces are looked for.")
    table = proxies.proxy_table(views, attribute, labels)
    title.title(plain_markdown(proxies.headline(table, attribute)), anchor=False)
    left, right = st.columns(2)
    with left:
        clicked = show_drawing(proxies.scatter(table, attribute, rows=views["rows"]), key="scatter", clickable=True)
    with right:
        show_drawing(paths(views), key="paths")
    show_feature(dataset, attribute, table["feature"].tolist(), clicked)
    st.subheader("Every feature and attribute", anchor=False)
    show_drawing(proxies.heat_map(views, labels), key="heat-map")
    with st.expander("As a table"):
        show_table(table.round(3), key="proxies", alt="What each feature tells")


def show_feature(dataset: Dataset, attribute: str, names: list[str], clicked: str | None) -> None:
    """How one feature is distributed in each group."""
    if clicked in names and st.session_state.get("clicked-proxy") != clicked:
        st.session_state["clicked-proxy"] = st.session_state["proxy"] = clicked
    st.subheader("A closer look at one feature", anchor=False)
    feature = st.selectbox("Feature (or click it in the picture)", names, key="proxy")
    show_drawing(distribution(dataset, feature, attribute), key="distribution")


open_page("Proxies", "🔎")
with guarded():
    data = dataset_in_view()
    if data is None or not len(data.sensitive.columns):
        st.title("Which columns give the attribute away?", anchor=False)
        show_nothing()
    else:
        show_proxies(data)
        st.caption(
            "T is Azadkia and Chatterjee's coefficient: 0 says nothing, 1 everything; p-values are from shuffled rows. "
            "A feature that tells nothing alone may still tell together with others: FOCI's steps show that."
        )
        st.divider()
        link("pages/train.py", "Next: run the audit", icon=":material/play_circle:")

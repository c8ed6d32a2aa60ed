"""Proxies: before any training, which columns reveal a sensitive attribute, and which to drop first."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from diffoci.audit.before_training.proxies import Traces
from diffoci.audit.before_training.revealing import HOW_TO_READ
from diffoci.audit.result import AuditResult
from diffoci.audit.spec import AuditSpec
from diffoci.data.dataset import Dataset
from diffoci.figures import known_truth
from diffoci.figures.before_training import proxies
from diffoci.figures.before_training.distribution import distribution
from diffoci.figures.before_training.foci_paths import paths
from diffoci.figures.before_training.proxy_map import auc_map, heat_map
from diffoci.plain_text import counted
from diffoci.runs.files import ends_whole
from diffoci.ui import chosen_audit, draft, draft_dataset, guarded, next_step, open_page, show_table, show_wrapped
from diffoci.ui.charts import show_drawing
from diffoci.ui.choices import in_address
from diffoci.ui.known_truth import known_of, show_beside
from diffoci.ui.links import PARAMETER
from diffoci.ui.runs.results import paths_of, proxies_of, result_of
from diffoci.ui.runs.rows import rows_or_ask
from diffoci.ui.words import plain_markdown


def show_draft(title: DeltaGenerator) -> None:
    """The data chosen on the Data page; without them, say what to do."""
    chosen, dataset = draft(), draft_dataset()
    if chosen is None or dataset is None or not len(dataset.sensitive.columns):
        with st.container(border=True):
            st.subheader("No data chosen yet.", anchor=False)
            st.markdown("Choose data and at least one sensitive attribute; this page then needs no training.")
            next_step("pages/data.py", "Choose data", icon=":material/table:")
        return
    show_proxies(dataset, chosen.spec, title)
    st.divider()
    if dataset.has_outcome:
        next_step("pages/train.py", "Next: run the audit", icon=":material/play_circle:")
    else:
        next_step("pages/data.py", "Next: name the outcome", icon=":material/table:")


def show_audited(title: DeltaGenerator) -> None:
    """The data of the audit in the address; for want of its rows, what its result has."""
    if (run := chosen_audit()) is None:
        return
    stored = st.container()
    dataset = rows_or_ask(run, "To test columns and pairs again, upload the file with the rows.")
    with stored:
        if dataset is not None:
            show_proxies(dataset, run.spec, title)
        elif ends_whole(run.result_file):
            show_stored(result_of(run), title)
    st.divider()
    next_step("pages/compare.py", "Next: what can still be guessed", icon=":material/scatter_plot:")


def show_stored(result: AuditResult, title: DeltaGenerator) -> None:
    """What the audit stored of single columns: T with one neighbour, and FOCI's paths."""
    views, meanings = result.features.exact, result.features.meanings
    if views is None:
        st.markdown("This audit stored nothing about single columns: that part of it failed.")
        return
    attribute = st.selectbox(
        "Attribute", result.attributes, help="What the columns may reveal.", **in_address("attribute")
    )
    table = proxies.stored_table(views, attribute, meanings)
    title.title(plain_markdown(proxies.stored_headline(views, attribute)), anchor=False)
    show_wrapped(table, key="proxies", alt="What each column reveals, as stored", verdict=f"About {attribute}")
    left, right = st.columns(2)
    with left:
        show_drawing(heat_map(views, meanings), key="heat-map")
    with right:
        show_drawing(paths(views.paths, rows=views.rows), key="paths")
    st.caption(
        "As the audit stored it: T with one neighbour, which sees every kind of dependence, but a plain shift only "
        "weakly. A column without a trace here may still reveal the attribute."
    )


def show_proxies(dataset: Dataset, spec: AuditSpec, title: DeltaGenerator) -> None:
    """The pictures, all from one computation that is kept."""
    found, labels = proxies_of(dataset), {column.name: column.label for column in dataset.columns}
    if not found.attributes:
        st.info("The sensitive attributes are constant in these data; choose others.")
        return
    attribute = st.selectbox(
        "Attribute", list(found.attributes), help="What the columns may reveal.", **in_address("attribute")
    )
    table = proxies.proxy_table(found, attribute, labels)
    title.title(plain_markdown(proxies.headline(found, attribute)), anchor=False)
    left, right = st.columns(2)
    with left:
        show_drawing(proxies.scatter(table, attribute, rows=found.rows), key="scatter", on_click=look_at)
    if (known := known_of(spec, attribute)) is not None:
        beside = known_truth.columns_found(known, found.attributes[attribute])
        show_beside(beside, known_truth.columns_said(beside), key="known-columns")
    show_wrapped(
        proxies.in_words(table, attribute), key="proxies", alt="What each column reveals", verdict=f"About {attribute}"
    )
    show_pairs(found.attributes[attribute], attribute)
    with guarded():
        show_feature(dataset, attribute, table["feature"].tolist())
    st.subheader("Every column and attribute", anchor=False)
    show_drawing(auc_map(found, labels), key="heat-map")
    st.caption(HOW_TO_READ)
    with right:  # last, because it takes longest
        show_drawing(paths(paths_of(dataset), rows=found.rows), key="paths")


def show_pairs(traces: Traces, attribute: str) -> None:
    """Columns that reveal the attribute only together, with how many pairs were tested."""
    st.subheader("Pairs that reveal only together", anchor=False)
    many = traces.pairs_tested != 1
    pairs = counted(traces.pairs_tested, "pair")
    tested = f"{pairs} of columns that reveal nothing alone {'were' if many else 'was'} tested"
    if traces.pairs:
        show_table(proxies.pair_table(traces), key="pairs", alt=f"Pairs that reveal {attribute} only together")
        st.caption(f"{tested}, the most promising ones on rows that had no part in choosing them.")
    else:
        st.markdown(f"None was detected; {tested}. Three or more columns together may still reveal it.")


def look_at(feature: str) -> None:
    """Choose the column of `show_feature`."""
    st.session_state["proxy"] = feature


def show_feature(dataset: Dataset, attribute: str, names: list[str]) -> None:
    """How one column is distributed in each group."""
    st.subheader("A closer look at one column", anchor=False)
    feature = st.selectbox("Column (or click it in the picture)", names, key="proxy")
    show_drawing(distribution(dataset, feature, attribute), key="distribution")


open_page("Proxies", "🔎")
with guarded():
    title = st.empty()
    title.title("Which columns reveal the attribute?", anchor=False)
    if st.query_params.get(PARAMETER):
        show_audited(title)
    else:
        show_draft(title)

"""Show who is in the data: groups, preview, meanings of codes, missing values."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from diffoci.audit.result import AuditResult
from diffoci.audit.verdicts import FEWEST_ROWS
from diffoci.data.dataset import Dataset
from diffoci.data.people import SHARE, column_table, group_table, missing_table, preview, rate_title, size_table
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, VERMILLION
from diffoci.ui.charts import show_drawing, show_table, show_wrapped
from diffoci.ui.words import plain_markdown


def show_people(dataset: Dataset) -> None:
    """Show a dataset in four views."""
    groups, rows, columns, gaps = st.tabs(["Groups", "Rows", "Columns and codes", "Missing values"])
    with groups:
        _groups(dataset)
    with rows:
        words = st.toggle("Show codes in words", value=True, key="data-words")
        st.dataframe(_preview(dataset.name, dataset.sha256, words, _dataset=dataset), width="stretch", hide_index=True)
        st.caption(f"The first of {len(dataset):,} rows.")
    with columns:
        show_table(_columns(dataset.name, dataset.sha256, _dataset=dataset), key="columns")
    with gaps:
        table = missing_table(dataset)
        if len(table):
            st.markdown("Missing numbers become the median; missing categories become a category of their own.")
            show_table(table, key="missing")
        else:
            st.markdown("No feature has missing values.")
    if dataset.notes:
        with st.expander("Notes on these data", icon=":material/info:", expanded=True):
            st.markdown("\n".join(f"- {plain_markdown(note)}" for note in dataset.notes))
            st.caption(plain_markdown(f"Licence: {dataset.licence}. {dataset.citation} {dataset.source}"))


def show_stored_groups(result: AuditResult) -> None:
    """The groups as an audit stored them, for want of its rows."""
    attribute = st.selectbox("Groups of", result.attributes, key="data-groups-of", width=360)
    groups, title = result.groups[attribute], rate_title(result.label.name, result.label.classes)
    sizes = {name: group.rows for name, group in groups.items()}
    rates = {name: group.label_rate for name, group in groups.items()}
    _show_groups(size_table(sizes, rates, title=title, fewest=FEWEST_ROWS), title)


def _groups(dataset: Dataset) -> None:
    names = [str(name) for name in dataset.sensitive]
    views: dict[str, tuple[str, ...]] = {name: (name,) for name in names}
    if len(names) > 1:
        views[" and ".join(names) + " together"] = tuple(names)
    chosen = names[0]
    if len(views) > 1:
        chosen = st.selectbox("Groups of", list(views), key="data-groups-of", width=360)
    table = _group_table(dataset.sha256, views[chosen], _dataset=dataset)
    _show_groups(table, rate_title(dataset.label_name, dataset.label_classes))


def _show_groups(table: pd.DataFrame, title: str) -> None:
    small = table[table["People"] < FEWEST_ROWS]
    if len(small):
        said = ", ".join(f"{row['Group']} ({row['People']})" for _, row in small.head(8).iterrows())
        st.warning(
            plain_markdown(f"Too few people to judge: {said}{' and others' if len(small) > 8 else ''}."),
            icon=":material/group_off:",
        )
    if title in table:
        show_drawing(Drawing(group_figure(table, title), table, _alt(table, title)), key="groups-chart", offer=False)
    show_wrapped(table, key="groups")


def group_figure(table: pd.DataFrame, title: str) -> go.Figure:
    """Draw the rate of the outcome in each group, or its share; groups too small to be judged are hatched."""
    shown = table.head(20).iloc[::-1]
    few = shown["People"] < FEWEST_ROWS
    figure = go.Figure(
        go.Bar(
            x=shown[title],
            y=[
                f"{_unmarked(str(group))} (n = {people:,})"
                for group, people in zip(shown["Group"], shown["People"], strict=True)
            ],
            orientation="h",
            marker={
                "color": [VERMILLION if one else BLUE for one in few],
                "pattern": {"shape": ["/" if one else "" for one in few]},
            },
            text=[f"{value:.1f} %" for value in shown[title]],
            textposition="auto",
            hovertemplate="%{y}: %{x:.1f} %<extra></extra>",
        )
    )
    people = int(table["People"].sum())
    figure.update_layout(
        title_text=f"{_unmarked(title.removesuffix(', %'))}, by group (n = {people:,})", height=110 + 38 * len(shown)
    )
    of = "everybody" if title == SHARE else "the group"
    figure.update_xaxes(title_text=f"share of {of}, %", range=[0, max(5.0, min(100.0, 1.2 * shown[title].max()))])
    return figure


def _unmarked(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _alt(table: pd.DataFrame, title: str) -> str:
    rates = "; ".join(f"{row['Group']}: {row[title]} %" for _, row in table.head(8).iterrows())
    of = "everybody in" if title == SHARE else f"people with {title.removesuffix(', %')} in"
    return f"Share of {of} each group: {rates}."


# Keyed on the digest: Streamlit would hash a large frame from a sample of it and show a stale table.
@st.cache_data(max_entries=20, show_spinner=False)
def _group_table(sha256: str, attributes: tuple[str, ...], *, _dataset: Dataset) -> pd.DataFrame:
    return group_table(_dataset, attributes, fewest=FEWEST_ROWS)


@st.cache_data(max_entries=20, show_spinner=False)
def _preview(name: str, sha256: str, words: bool, *, _dataset: Dataset) -> pd.DataFrame:
    return preview(_dataset, words=words)


@st.cache_data(max_entries=20, show_spinner=False)
def _columns(name: str, sha256: str, *, _dataset: Dataset) -> pd.DataFrame:
    return column_table(_dataset)

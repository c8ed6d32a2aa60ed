"""Show who is in the data: groups, preview, meanings of codes, missing values."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from diffoci.data.dataset import Dataset
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, VERMILLION
from diffoci.ui.charts import show_drawing, show_table
from diffoci.ui.people import JUDGED, column_table, group_table, missing_table, preview, rate_title
from diffoci.ui.words import plain_markdown


def show_people(dataset: Dataset) -> None:
    """Show a dataset in four views."""
    groups, rows, columns, gaps = st.tabs(["Groups", "Rows", "Columns and codes", "Missing values"])
    with groups:
        _groups(dataset)
    with rows:
        words = st.toggle("Say codes in words", value=True, key="data-words")
        st.dataframe(_preview(dataset.name, dataset.sha256, words, _dataset=dataset), width="stretch", hide_index=True)
        st.caption(f"The first rows of {len(dataset):,}.")
    with columns:
        show_table(_columns(dataset.name, dataset.sha256, _dataset=dataset), key="columns")
    with gaps:
        table = missing_table(dataset)
        if len(table):
            st.markdown("Gaps in numbers are filled with the median; in categories they are a level of their own.")
            show_table(table, key="missing")
        else:
            st.markdown("No feature has missing values.")
    if dataset.notes:
        with st.expander("Notes on these data", icon=":material/info:"):
            st.markdown("\n".join(f"- {plain_markdown(note)}" for note in dataset.notes))
            st.caption(plain_markdown(f"{dataset.licence}. {dataset.citation} {dataset.source}"))


def _groups(dataset: Dataset) -> None:
    names = [str(name) for name in dataset.sensitive]
    views: dict[str, tuple[str, ...]] = {name: (name,) for name in names}
    if len(names) > 1:
        views[" and ".join(names) + " together"] = tuple(names)
    chosen = names[0]
    if len(views) > 1:
        chosen = st.selectbox("Groups of", list(views), key="data-groups-of", width=360)
    table = _group_table(dataset.sha256, views[chosen], _dataset=dataset)
    small = table[table["People"] < JUDGED]
    if len(small):
        said = ", ".join(f"{row['Group']} ({row['People']})" for _, row in small.head(8).iterrows())
        st.warning(
            plain_markdown(f"Too few people to be judged: {said}{' and others' if len(small) > 8 else ''}."),
            icon=":material/group_off:",
        )
    picture = Drawing(group_figure(table, rate_title(dataset)), table, _alt(table, dataset))
    show_drawing(picture, key="groups-chart", offer=False)
    show_table(table, key="groups")


def group_figure(table: pd.DataFrame, title: str) -> go.Figure:
    """Draw the label's rate in each group; groups too small to be judged are hatched."""
    shown = table.head(20).iloc[::-1]
    few = shown["People"] < JUDGED
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
    figure.update_xaxes(title_text="share of the group, %", range=[0, max(5.0, min(100.0, 1.2 * shown[title].max()))])
    return figure


def _unmarked(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _alt(table: pd.DataFrame, dataset: Dataset) -> str:
    rates = "; ".join(f"{row['Group']}: {row[rate_title(dataset)]} %" for _, row in table.head(8).iterrows())
    return f"Share of people with {rate_title(dataset).removesuffix(', %')} in each group: {rates}."


# Keyed on the digest: Streamlit would hash a large frame from a sample of it and show a stale table.
@st.cache_data(max_entries=20, show_spinner=False)
def _group_table(sha256: str, attributes: tuple[str, ...], *, _dataset: Dataset) -> pd.DataFrame:
    return group_table(_dataset, attributes)


@st.cache_data(max_entries=20, show_spinner=False)
def _preview(name: str, sha256: str, words: bool, *, _dataset: Dataset) -> pd.DataFrame:
    return preview(_dataset, words=words)


@st.cache_data(max_entries=20, show_spinner=False)
def _columns(name: str, sha256: str, *, _dataset: Dataset) -> pd.DataFrame:
    return column_table(_dataset)

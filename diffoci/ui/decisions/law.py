"""The impact-ratio tables of New York City's Local Law 144 on the Decisions page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from diffoci.audit.decisions.local_law_144 import ImpactTables, law_columns, local_law_144
from diffoci.audit.decisions.thresholds import Threshold, select
from diffoci.data.dataset import Dataset
from diffoci.figures.decisions.words import impact_table
from diffoci.runs.store import Run
from diffoci.ui.charts import show_table, show_wrapped
from diffoci.ui.decisions.compared import tested
from diffoci.ui.runs.results import scores_of
from diffoci.ui.words import plain_markdown

_NAME = "Local Law 144 (New York City)"
_NO_COLUMNS = "The law's tables are by sex and race/ethnicity; no attribute of this audit has such a name."


def show_law(run: Run, dataset: Dataset, method: str, title: str, threshold: Threshold, by: str) -> None:
    """New York City's tables for one method at this threshold."""
    st.subheader(_NAME, anchor=False)
    scores = scores_of(run, method)
    people = tested(dataset, scores.rows)
    sex, race = law_columns(people)
    if not (sex or race):
        st.markdown(_NO_COLUMNS)
        return
    scoring = st.toggle(
        "By scores instead of selections",
        key="law-scoring",
        help="The law's scoring rate: the share of a group whose score is above everybody's median.",
    )
    if scoring:
        law = local_law_144(people, score=scores.score, sex=sex, race=race)
        st.markdown(f"Impact ratios of the scores of **{plain_markdown(title)}**, median {law.median:.2f}.")
    else:
        law = local_law_144(
            people, selected=select(scores.score, threshold, sensitive=people, by=by), sex=sex, race=race
        )
        st.markdown(f"Impact ratios of **{plain_markdown(title)}** at this threshold.")
    show_impact(law)


def show_stored_law(law: ImpactTables | None, title: str) -> None:
    """New York City's tables as the result has them."""
    st.subheader(_NAME, anchor=False)
    if law is None:
        st.markdown(_NO_COLUMNS)
        return
    st.markdown(f"Impact ratios of **{plain_markdown(title)}** at this threshold.")
    show_impact(law)


def show_laws_of_model(laws: Sequence[ImpactTables]) -> None:
    """New York City's tables of a model that exists: of its selections, and of its scores."""
    if laws:
        st.subheader(_NAME, anchor=False)
    for law in laws:
        said = "" if law.median is None else f", the share whose score is above everybody's median, {law.median:.2f}"
        st.markdown(plain_markdown(f"Impact ratios by {law.rate}{said}."))
        show_impact(law, of=f"-{law.rate.replace(' ', '-')}", show=show_wrapped)


def show_impact(law: ImpactTables, *, of: str = "", show: Callable[..., None] = show_table) -> None:
    """The city's tables, with what they lack; `of` tells the tables of one page apart."""
    for k, table in enumerate(law.tables):
        by = " and ".join(table.attributes)
        show(impact_table(table, law.rate), key=f"law{of}-{k}", alt=f"Impact by {by}")
        st.caption(plain_markdown(table.note))
    if law.missing:
        st.caption(f"The law also asks for {plain_markdown(' and '.join(law.missing))}.")

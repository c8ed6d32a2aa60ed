"""What the Decisions page is asked: two methods, groups, a threshold, and models that exist beside them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from diffoci.audit.decisions.thresholds import Threshold
from diffoci.audit.result import AuditResult
from diffoci.data.dataset import Dataset
from diffoci.inputs import Ints
from diffoci.runs.store import Run
from diffoci.ui.choices import in_address
from diffoci.ui.runs.model_audits import decisions_beside
from diffoci.ui.words import plain_markdown


def choose_threshold(dataset: Dataset, by: str) -> Threshold:
    """One threshold for all, or one for each group."""
    named = f"A threshold for each group of {plain_markdown(by)}"
    if not st.toggle(named, key="by-group", help="To see what happens. Using it may be unlawful."):
        return st.slider("Predicted yes from a score of", 0.0, 1.0, 0.5, 0.01, **in_address("threshold"))
    levels = list(dataset.sensitive[by].cat.remove_unused_categories().cat.categories)
    columns = st.columns(2)
    return {
        str(level): columns[k % 2].slider(
            f"{plain_markdown(level)}: from a score of", 0.0, 1.0, 0.5, 0.01, key=f"threshold-{by}-{k}"
        )
        for k, level in enumerate(levels)
    }


def choose_compared(
    result: AuditResult, groupings: Sequence[tuple[str, ...]]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Two methods, each with its title, and what to group people by."""
    methods = {one.name: one.title for one in result.methods if one.decisions is not None}
    names = list(methods)
    left, right, third = st.columns(3)
    first = left.selectbox("One method", names, format_func=methods.__getitem__, **in_address("one"))
    preferred = names.index(result.findings.chosen) if result.findings.chosen in names else len(names) - 1
    second = right.selectbox(
        "Another method", names, index=preferred, format_func=methods.__getitem__, **in_address("another")
    )
    by = third.selectbox("Groups by", groupings, format_func=" × ".join, **in_address("by"))
    return {name: methods[name] for name in dict.fromkeys([first, second])}, by


def choose_beside(run: Run, dataset: Dataset) -> dict[str, Ints]:
    """Models that exist and were audited on the same rows, to stand beside the methods trained here."""
    found = decisions_beside(run, dataset)
    if not found:
        return {}
    names = st.multiselect(
        "Existing models to show beside them", list(found), list(found)[:1], key="beside-models",
        help="From audits of a model on the same table. Their decisions are as audited; no slider moves them.",
    )  # fmt: skip
    return {name: found[name] for name in names}

"""Gaps between groups on the Decisions page: at a threshold, at any, and of the population weighted rows stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import streamlit as st

from diffoci.audit.decisions.thresholds import Threshold
from diffoci.audit.result import AuditResult
from diffoci.data.dataset import Dataset
from diffoci.data.known import Known
from diffoci.figures import known_truth
from diffoci.figures.decisions import rates as decisions
from diffoci.figures.decisions import words as decision_words
from diffoci.figures.decisions.weighted import SAID as WEIGHTED
from diffoci.runs.store import Run
from diffoci.ui.charts import show_drawing, show_table, show_wrapped
from diffoci.ui.decisions.compared import weighted
from diffoci.ui.known_truth import show_beside
from diffoci.ui.words import plain_markdown


class _Group(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def note(self) -> str: ...
    @property
    def judged(self) -> bool: ...


def show_gaps(compared: decisions.Compared, by: tuple[str, ...], *, known: Known | None = None) -> None:
    """Groups too small to be judged, gaps, ratios; of generated data what is there beside them."""
    if known is not None and by == (known.attribute,):
        sentence = "By construction the groups differ as shown here; the best possible prediction uses all columns."
        show_beside(known_truth.decided(known, compared), sentence, key="known-decided")
    warn_of_small(next(iter(compared.values())).groups)
    st.subheader("How large are the gaps?", anchor=False)
    show_wrapped(decision_words.gaps(compared), key="gaps", alt="Gaps between groups by method", verdict="Value")
    st.caption("Chance: what groups of the same sizes give when their labels are shuffled, 19 times in 20.")
    if chosen_from := decision_words.chosen_from(compared):
        show_drawing(decisions.four_fifths(chosen_from), key="four-fifths")


def warn_of_small(groups: Iterable[_Group]) -> None:
    """Name the groups that have too few people to be judged."""
    notes = [plain_markdown(f"{group.label}: {group.note}") for group in groups if not group.judged]
    if notes:
        st.warning("  \n".join(notes), icon=":material/group_off:")


def show_any_threshold(result: AuditResult, chosen: Mapping[str, str], by: tuple[str, ...]) -> None:
    """Beside the gap at one threshold, the gap that none exceeds; by one attribute."""
    told = {words: decision_words.any_threshold(result.method(name).decisions, by[0]) for name, words in chosen.items()}
    if len(by) == 1 and any(told.values()):
        st.subheader("And at any other threshold?", anchor=False)
        for words, said in told.items():
            if said:
                st.markdown(plain_markdown(f"{words}: {said}"))


def show_weighted(
    run: Run, dataset: Dataset, chosen: Mapping[str, str], by: tuple[str, ...], threshold: Threshold
) -> None:
    """On request, and where rows have survey weights: rates and gaps of the population they stand for."""
    if dataset.weights is None:
        return
    if not st.toggle("Also count people by their survey weights", key="weighted", help=WEIGHTED):
        return
    for k, (title, table) in enumerate(weighted(run, dataset, chosen, by, threshold).items()):
        st.subheader(plain_markdown(f"Of the population: {title}"), anchor=False)
        if len(table):
            show_table(table, key=f"weighted-{k}", alt=f"Rates of the population, {title}")
        else:
            st.markdown("Too few people to compare groups.")
    st.caption(WEIGHTED)

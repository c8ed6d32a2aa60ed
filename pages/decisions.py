"""Decisions: whom a threshold on the score would favour, two methods side by side."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from diffoci.audit.local_law_144 import law_columns, local_law_144
from diffoci.audit.thresholds import Threshold, select
from diffoci.data.dataset import Dataset
from diffoci.figures import decision_words, decisions
from diffoci.figures.reading import Result
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, no_method_finished, open_page, show_table
from diffoci.ui.charts import show_drawing
from diffoci.ui.decided import compare, tested
from diffoci.ui.results import dataset_of_run, result_of, scores_of
from diffoci.ui.words import plain_markdown


def choose_threshold(dataset: Dataset, by: str) -> Threshold:
    """One threshold for all, or one for each group."""
    named = f"A threshold for each group of {plain_markdown(by)}"
    if not st.toggle(named, key="by-group", help="Different thresholds for groups may be unlawful; look here."):
        return st.slider("Selected is whose score is at least", 0.0, 1.0, 0.5, 0.01, key="threshold")
    levels = list(dataset.sensitive[by].cat.remove_unused_categories().cat.categories)
    columns = st.columns(2)
    return {
        str(level): columns[k % 2].slider(
            f"{plain_markdown(level)}: at least", 0.0, 1.0, 0.5, 0.01, key=f"threshold-{by}-{k}"
        )
        for k, level in enumerate(levels)
    }


@st.fragment
def show_decisions(run: Run, result: Result, dataset: Dataset) -> None:
    """Which methods and groups to compare, and all that follows."""
    with guarded():
        title = st.empty()
        st.markdown(plain_markdown(decision_words.selected_words(result["label"])))
        methods = {one["name"]: one["title"] for one in result["methods"]}
        names, attributes = list(methods), [str(name) for name in dataset.sensitive]
        left, right, third = st.columns(3)
        first = left.selectbox("One method", names, format_func=methods.__getitem__)
        preferred = next((k for k, name in enumerate(names) if name == "dF3+penalty"), len(names) - 1)
        second = right.selectbox("Another method", names, index=preferred, format_func=methods.__getitem__)
        groupings = [(name,) for name in attributes] + ([tuple(attributes)] if len(attributes) > 1 else [])
        by = third.selectbox("Groups by", groupings, format_func=" × ".join)
        chosen = {name: methods[name] for name in dict.fromkeys([first, second])}
        show_threshold(run, dataset, chosen, by, title)
        show_drawing(decisions.calibration(compare(run, dataset, chosen, by)), key="calibration")


@st.fragment
def show_threshold(
    run: Run, dataset: Dataset, chosen: Mapping[str, str], by: tuple[str, ...], title: DeltaGenerator
) -> None:
    """The part that runs again when a slider moves: everything a threshold decides, and nothing else."""
    with guarded():
        threshold = choose_threshold(dataset, by[0])
        # The picture first, with hardly any resampling, which it does not show: whoever moves the slider looks at it.
        show_drawing(decisions.rates(compare(run, dataset, chosen, by, threshold, replicates=50)), key="rates")
        compared = compare(run, dataset, chosen, by, threshold)
        title.title(plain_markdown(decision_words.headline(compared)), anchor=False)
        small = [group for group in next(iter(compared.values())).groups if not group.judged]
        if small:
            notes = [plain_markdown(f"{group.label}: {group.note}") for group in small]
            st.warning("  \n".join(notes), icon=":material/group_off:")
        st.subheader("How large are the gaps?", anchor=False)
        show_table(decision_words.gaps(compared), key="gaps", alt="Gaps between groups by method")
        st.caption("Chance: what groups of the same sizes give when their labels are shuffled, 19 times in 20.")
        show_drawing(decisions.four_fifths(compared), key="four-fifths")
        name, words = list(chosen.items())[-1]
        show_law(run, dataset, name, words, threshold, by[0])


def show_law(run: Run, dataset: Dataset, method: str, title: str, threshold: Threshold, by: str) -> None:
    """New York City's tables for one method at this threshold."""
    st.subheader("Local Law 144 (New York City)", anchor=False)
    scores = scores_of(run, method)
    people = tested(dataset, scores.rows)
    sex, race = law_columns(people)
    if not (sex or race):
        st.markdown("The law's tables are by sex and race/ethnicity; no attribute of this audit is called so.")
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
    for k, table in enumerate(law.tables):
        show_table(
            decision_words.impact_table(table, law.rate),
            key=f"law-{k}",
            alt=f"Impact by {' and '.join(table.attributes)}",
        )
        st.caption(plain_markdown(table.note))
    if law.missing:
        st.caption(f"The law also asks for {plain_markdown(' and '.join(law.missing))}.")


open_page("Decisions", "🚦")
with guarded():
    run = finished_audit()
    if run is not None:
        result = result_of(run)
        if not result["methods"]:
            no_method_finished()
        elif len(result["label"]["classes"]) != 2:
            st.title("Decisions need a label with two classes", anchor=False)
            st.markdown("Choose a positive class on the Data page and audit again.")
        else:
            show_decisions(run, result, dataset_of_run(run))
        st.divider()
        link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")

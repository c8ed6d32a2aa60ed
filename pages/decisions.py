"""Decisions: whom a threshold on the score would favour, two methods side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from diffoci.audit.decisions.local_law_144 import ImpactTables, law_columns, local_law_144
from diffoci.audit.decisions.thresholds import Threshold, select
from diffoci.audit.result import AuditResult
from diffoci.data.dataset import Dataset
from diffoci.data.known import Known
from diffoci.figures import known_truth
from diffoci.figures.decisions import rates as decisions
from diffoci.figures.decisions import words as decision_words
from diffoci.figures.decisions.calibration import calibration
from diffoci.figures.decisions.weighted import SAID as WEIGHTED
from diffoci.inputs import Ints
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, next_step, no_method_finished, open_page, show_table
from diffoci.ui.charts import show_drawing
from diffoci.ui.choices import in_address
from diffoci.ui.decided import compare, tested, weighted
from diffoci.ui.known_truth import known_of, show_beside
from diffoci.ui.model_decisions import show_model_decisions
from diffoci.ui.runs.audits import found_run
from diffoci.ui.runs.model_audits import decisions_beside, is_model_audit
from diffoci.ui.runs.results import result_of, scores_of
from diffoci.ui.runs.rows import rows_or_ask
from diffoci.ui.words import plain_markdown

LAW = "Local Law 144 (New York City)"
NO_LAW = "The law's tables are by sex and race/ethnicity; no attribute of this audit has such a name."


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


@st.fragment
def show_decisions(run: Run, result: AuditResult, dataset: Dataset) -> None:
    """Which methods and groups to compare, and all that follows."""
    with guarded():
        title = st.empty()
        st.markdown(plain_markdown(decision_words.selected_words(result.label)))
        attributes = [str(name) for name in dataset.sensitive]
        groupings = [(name,) for name in attributes] + ([tuple(attributes)] if len(attributes) > 1 else [])
        chosen, by = choose_compared(result, groupings)
        show_threshold(run, dataset, chosen, by, title, choose_beside(run, dataset))
        show_any_threshold(result, chosen, by)
        show_drawing(calibration(compare(run, dataset, chosen, by)), key="calibration")


@st.fragment
def show_stored(run: Run, result: AuditResult) -> None:
    """The decisions that the result has, at its own threshold, for want of the rows."""
    with guarded():
        title = st.empty()
        st.markdown(plain_markdown(decision_words.selected_words(result.label)))
        decided = {one.name: one.decisions for one in result.methods if one.decisions is not None}
        groupings = [comparison.attributes for comparison in next(iter(decided.values())).comparisons]
        chosen, by = choose_compared(result, groupings)
        compared = {words: decided[name].by(*by) for name, words in chosen.items()}
        name, words = list(chosen.items())[-1]
        st.markdown(f"As stored in the audit: predicted yes means a score of at least {decided[name].threshold}.")
        show_drawing(decisions.rates(compared), key="rates")
        title.title(plain_markdown(decision_words.headline(compared)), anchor=False)
        show_gaps(compared, by, known=known_of(run.spec))
        show_any_threshold(result, chosen, by)
        st.subheader(LAW, anchor=False)
        law = decided[name].local_law_144
        if law is None:
            st.markdown(NO_LAW)
        else:
            st.markdown(f"Impact ratios of **{plain_markdown(words)}** at this threshold.")
            show_impact(law)
        show_drawing(calibration(compared), key="calibration")


@st.fragment
def show_threshold(
    run: Run,
    dataset: Dataset,
    chosen: Mapping[str, str],
    by: tuple[str, ...],
    title: DeltaGenerator,
    beside: Mapping[str, Ints],
) -> None:
    """The part that runs again when a slider moves: everything a threshold decides, and nothing else."""
    with guarded():
        threshold = choose_threshold(dataset, by[0])
        # The picture first, with hardly any resampling, which it does not show: whoever moves the slider looks at it.
        drawn = compare(run, dataset, chosen, by, threshold, beside=beside, replicates=50)
        show_drawing(decisions.rates(drawn), key="rates")
        compared = compare(run, dataset, chosen, by, threshold, beside=beside)
        trained = {words: compared[words] for words in chosen.values()}
        title.title(plain_markdown(decision_words.headline(trained)), anchor=False)
        show_gaps(compared, by, known=known_of(run.spec))
        show_weighted(run, dataset, chosen, by, threshold)
        name, words = list(chosen.items())[-1]
        show_law(run, dataset, name, words, threshold, by[0])


def show_gaps(compared: decisions.Compared, by: tuple[str, ...], *, known: Known | None = None) -> None:
    """Groups too small to be judged, gaps, ratios; of generated data what is there beside them."""
    if known is not None and by == (known.attribute,):
        sentence = "By construction the groups differ as shown here; the best possible prediction uses all columns."
        show_beside(known_truth.decided(known, compared), sentence, key="known-decided")
    small = [group for group in next(iter(compared.values())).groups if not group.judged]
    if small:
        notes = [plain_markdown(f"{group.label}: {group.note}") for group in small]
        st.warning("  \n".join(notes), icon=":material/group_off:")
    st.subheader("How large are the gaps?", anchor=False)
    show_table(decision_words.gaps(compared), key="gaps", alt="Gaps between groups by method", verdict="Value")
    st.caption("Chance: what groups of the same sizes give when their labels are shuffled, 19 times in 20.")
    if chosen_from := decision_words.chosen_from(compared):
        show_drawing(decisions.four_fifths(chosen_from), key="four-fifths")


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


def show_law(run: Run, dataset: Dataset, method: str, title: str, threshold: Threshold, by: str) -> None:
    """New York City's tables for one method at this threshold."""
    st.subheader(LAW, anchor=False)
    scores = scores_of(run, method)
    people = tested(dataset, scores.rows)
    sex, race = law_columns(people)
    if not (sex or race):
        st.markdown(NO_LAW)
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


def show_impact(law: ImpactTables) -> None:
    """The city's tables, with what they lack."""
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
    if is_model_audit(found_run()):
        show_model_decisions()
    elif (run := finished_audit()) is not None:
        result = result_of(run)
        if not result.methods:
            no_method_finished()
        elif len(result.label.classes) != 2:
            st.title("Decisions need an outcome with two classes", anchor=False)
            st.markdown("Choose a positive class on the Data page and audit again.")
        else:
            stored = st.container()
            dataset = rows_or_ask(run, "To move the threshold, bring the file with the rows.")
            with stored:
                if dataset is not None:
                    show_decisions(run, result, dataset)
                else:
                    show_stored(run, result)
        st.divider()
        if result.methods:
            next_step("pages/report.py", "Next: take the audit away as a report", icon=":material/description:")
        link("pages/scores.py", "Audit a model you have", icon=":material/speed:", audit="")
        link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")

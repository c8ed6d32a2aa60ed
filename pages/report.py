"""Report: the audit in words, and everything it found to take away."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.result import AuditResult
from diffoci.audit.words.verdicts import headline
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.words import criteria_headline, gap_sentence, population_words
from diffoci.model_audit.words import headline as model_headline
from diffoci.report.model_audit.compared import compared_words
from diffoci.report.summary import answers
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, open_page
from diffoci.ui.runs.audits import finished_run, found_run
from diffoci.ui.runs.model_audits import is_model_audit, model_result_of
from diffoci.ui.runs.results import result_of
from diffoci.ui.taking_away import offer_cards, offer_report_and_tables
from diffoci.ui.words import plain_markdown


def show_report(run: Run) -> None:
    """The report of a fairness audit, and its numbers."""
    result = result_of(run)
    title = headline(result, result.attributes[0]) if result.methods else "No method of this audit finished"
    st.title(plain_markdown(title), anchor=False)
    about = (
        "One HTML file of about 5 MB: the answer on page one, then every picture with its table, the settings and "
        "the result itself. It opens without a network, checks its own numbers in the browser, and prints to A4 or "
        "Letter."
    )
    offer_report_and_tables(run, result, about=about)
    if result.methods:
        with st.container(border=True):
            show_card(run, result)
    for question, sentences in answers(result).items():
        show_points(question, sentences)
    st.divider()
    link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")


def show_card(run: Run, result: AuditResult) -> None:
    """The model card of a representation that can be chosen."""
    st.subheader("Model card", anchor=False)
    st.markdown("What a representation is, what it is for, how it was measured, and what to watch out for.")
    titles = {one.name: one.title for one in result.methods}
    names = list(titles)
    preferred = names.index(result.findings.chosen or names[0])
    method = st.selectbox("Representation", names, index=preferred, format_func=titles.__getitem__, key="card-method")
    offer_cards(run, result, method)


def show_model_report(run: Run) -> None:
    """The report of a model audit, and its numbers."""
    result = model_result_of(run)
    st.title(plain_markdown(model_headline(result).removesuffix(".")), anchor=False)
    about = "One HTML file with every picture, its table beside it, and how the numbers were made."
    offer_report_and_tables(run, result, about=about)
    with st.container(border=True):
        st.subheader("Model card", anchor=False)
        st.markdown("What was found about a model, in the usual sections; what only its owner knows is left open.")
        offer_cards(run, result, st.selectbox("Model", [one.name for one in result.models], key="card-model"))
    show_model_summary(result)
    st.divider()
    link("pages/criteria.py", "Back: the criteria", icon=":material/balance:")


def show_model_summary(result: ModelAuditResult) -> None:
    """What every model does to groups, what its score tells, and what these columns do not allow to say."""
    said = [gap_sentence(one, comparison) for one in result.models for comparison in one.comparisons]
    show_points(
        "What was found", [*said, *population_words(result), f"{criteria_headline(result)}.", *compared_words(result)]
    )
    if result.cannot:
        show_points("What these columns cannot tell", result.cannot)


def show_points(title: str, sentences: list[str] | tuple[str, ...]) -> None:
    """Sentences under a heading, one point each."""
    st.subheader(title, anchor=False)
    st.markdown("\n".join(f"- {plain_markdown(sentence)}" for sentence in sentences))


open_page("Report", "📄")
with guarded():
    if is_model_audit(found_run()):
        if (run := finished_run(is_model_audit, "")) is not None:
            show_model_report(run)
    elif (run := finished_audit()) is not None:
        show_report(run)

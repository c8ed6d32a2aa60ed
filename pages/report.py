"""Report: the audit in words, and everything it found to take away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import streamlit as st

from diffoci.access_log import Thing
from diffoci.audit.result import AuditResult
from diffoci.audit.words.verdicts import headline
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.words import criteria_headline, gap_sentence
from diffoci.model_audit.words import headline as model_headline
from diffoci.report.summary import answers
from diffoci.report.table_files import zipped
from diffoci.report.taken_away import card_file, report_file
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, open_page
from diffoci.ui.access import noted
from diffoci.ui.links import audit_id
from diffoci.ui.notices import made_or_told
from diffoci.ui.runs.audits import finished_run, found_run
from diffoci.ui.runs.model_audits import is_model_audit, model_result_of
from diffoci.ui.runs.results import result_of
from diffoci.ui.runs.signing import signing_key
from diffoci.ui.words import plain_markdown

CHECKING = "Anyone can check its numbers with `python -m diffoci verify FILE`; `--rerun` computes them again."


def offer(label: str, make: Callable[[], bytes], name: str, mime: str, *, what: Thing, primary: bool = False) -> None:
    """A file that is made only when somebody asks for it."""
    st.download_button(
        label,
        made_or_told(noted(make, what=what, id=audit_id() or "")),
        file_name=name,
        mime=mime,
        key=f"take-{name}",
        type="primary" if primary else "secondary",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )


def show_files(run: Run, result: AuditResult) -> None:
    """Report, model card and tables, two columns of buttons."""
    stem = f"audit-{run.id[:8]}"
    left, right = st.columns(2)
    with left, st.container(border=True):
        st.subheader("The report", anchor=False)
        st.markdown(
            "One HTML file of about 5 MB: the answer on page one, then every picture with its table, the settings and "
            "the result itself. It opens without a network, checks its own numbers in the browser, and prints to A4 or "
            "Letter."
        )
        offer("Report (HTML)", lambda: report_of(run, result), f"{stem}.html", "text/html", what="report", primary=True)
        st.caption(CHECKING)
        with guarded():  # a key that cannot be used is said here and takes nothing else off the page
            say_who_signs()
    with right, st.container(border=True):
        show_tables(result, stem)
    if result.methods:
        with st.container(border=True):
            show_card(result, stem)


def show_tables(result: AuditResult | ModelAuditResult, stem: str) -> None:
    """All numbers, one file per table."""
    st.subheader("Every table", anchor=False)
    st.markdown("All numbers, unrounded, one file per table.")
    for title, kind in (("Tables (CSV)", "csv"), ("Tables (Parquet)", "parquet")):
        offer(title, partial(zipped, result, kind), f"{stem}-{kind}.zip", "application/zip", what="tables")


def say_who_signs() -> None:
    """The key that this server signs with, where it has one."""
    if (key := signing_key()) is not None:
        signer = key.public
        st.caption(
            f"Report, card and shared zip are signed by {plain_markdown(signer.name)}. Fingerprint of the key: "
            f"`{signer.fingerprint}`"
        )


def report_of(run: Run, result: AuditResult | ModelAuditResult) -> bytes:
    """The report as bytes."""
    return report_file(result, created=run.created, key=signing_key())


def show_card(result: AuditResult, stem: str) -> None:
    """The model card of a representation that can be chosen."""
    st.subheader("Model card", anchor=False)
    st.markdown("What a representation is, what it is for, how it was measured, and what to watch out for.")
    titles = {one.name: one.title for one in result.methods}
    names = list(titles)
    preferred = names.index(result.findings.chosen or names[0])
    method = st.selectbox("Representation", names, index=preferred, format_func=titles.__getitem__, key="card-method")
    show_cards(result, method, stem)


def show_cards(result: AuditResult | ModelAuditResult, name: str, stem: str) -> None:
    """The card of one representation or model, in both kinds of file."""
    left, right = st.columns(2)
    with left:
        offer("Card (Markdown)", lambda: card_of(result, name, "md"), f"{stem}-card.md", "text/markdown", what="card")
    with right:
        offer("Card (HTML)", lambda: card_of(result, name, "html"), f"{stem}-card.html", "text/html", what="card")


def card_of(result: AuditResult | ModelAuditResult, name: str, kind: Literal["md", "html"]) -> bytes:
    """The model card as bytes."""
    return card_file(result, name, kind=kind, key=signing_key())


def show_summary(result: AuditResult) -> None:
    """The report's first page."""
    for question, sentences in answers(result).items():
        st.subheader(question, anchor=False)
        st.markdown("\n".join(f"- {plain_markdown(sentence)}" for sentence in sentences))


def title_of(result: AuditResult) -> str:
    """The audit's answer, or that it has none."""
    return headline(result, result.attributes[0]) if result.methods else "No method of this audit finished"


def show_model_summary(result: ModelAuditResult) -> None:
    """What every model does to groups, what its score tells, and what these columns do not allow to say."""
    st.subheader("What was found", anchor=False)
    said = [gap_sentence(one, comparison) for one in result.models for comparison in one.comparisons]
    said.append(f"{criteria_headline(result)}.")
    st.markdown("\n".join(f"- {plain_markdown(sentence)}" for sentence in said))
    if result.cannot:
        st.subheader("What these columns do not allow to say", anchor=False)
        st.markdown("\n".join(f"- {plain_markdown(sentence)}" for sentence in result.cannot))


def show_model_report() -> None:
    """The report of a model audit, and its numbers."""
    run = finished_run(is_model_audit, "")
    if run is None:
        return
    result, stem = model_result_of(run), f"audit-{run.id[:8]}"
    st.title(plain_markdown(model_headline(result)), anchor=False)
    left, right = st.columns(2)
    with left, st.container(border=True):
        st.subheader("The report", anchor=False)
        st.markdown("One HTML file with every picture, its table beside it, and how the numbers were made.")
        offer("Report (HTML)", lambda: report_of(run, result), f"{stem}.html", "text/html", what="report", primary=True)
        st.caption(CHECKING)
        with guarded():
            say_who_signs()
    with right, st.container(border=True):
        show_tables(result, stem)
    with st.container(border=True):
        st.subheader("Model card", anchor=False)
        st.markdown("What was found about a model, in the usual sections; what only its owner knows is left open.")
        name = st.selectbox("Model", [one.name for one in result.models], key="card-model")
        show_cards(result, name, stem)
    show_model_summary(result)
    st.divider()
    link("pages/criteria.py", "Back: the criteria", icon=":material/balance:")


open_page("Report", "📄")
with guarded():
    if is_model_audit(found_run()):
        show_model_report()
    elif (run := finished_audit()) is not None:
        result = result_of(run)
        st.title(plain_markdown(title_of(result)), anchor=False)
        show_files(run, result)
        show_summary(result)
        st.divider()
        link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")

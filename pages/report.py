"""Report: the audit in words, and everything it found to take away."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from diffoci.figures.reading import Result, View, attributes
from diffoci.figures.verdict_words import headline
from diffoci.report.build import build_report
from diffoci.report.markdown import markdown
from diffoci.report.model_card import model_card
from diffoci.report.page import page
from diffoci.report.summary import answers, chosen_method
from diffoci.report.table_files import zipped
from diffoci.runs.store import Run
from diffoci.ui import finished_audit, guarded, link, open_page
from diffoci.ui.results import result_of
from diffoci.ui.words import plain_markdown


def offer(label: str, make: Callable[[], bytes], name: str, mime: str, *, primary: bool = False) -> None:
    """A file that is made only when somebody asks for it."""
    st.download_button(
        label,
        make,
        file_name=name,
        mime=mime,
        key=f"take-{name}",
        type="primary" if primary else "secondary",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )


def show_files(run: Run, result: Result) -> None:
    """Report, model card and tables, two columns of buttons."""
    stem = f"audit-{run.id[:8]}"
    left, right = st.columns(2)
    with left, st.container(border=True):
        st.subheader("The report", anchor=False)
        st.markdown(
            "One HTML file of about 5 MB with every picture, its table beside it, the settings and the result itself. "
            "It opens without a network and prints to A4 or Letter."
        )
        offer("Report (HTML)", lambda: report_of(run, result), f"{stem}.html", "text/html", primary=True)
        st.caption(
            "Anyone can check its numbers: `python -m diffoci verify FILE`, with `--rerun` by computing them anew."
        )
    with right, st.container(border=True):
        st.subheader("Every table", anchor=False)
        st.markdown("All numbers, unrounded, one file a table.")
        offer("Tables (CSV)", lambda: zipped(result, "csv"), f"{stem}-csv.zip", "application/zip")
        offer("Tables (Parquet)", lambda: zipped(result, "parquet"), f"{stem}-parquet.zip", "application/zip")
    if result["methods"]:
        with st.container(border=True):
            show_card(result, stem)


def report_of(run: Run, result: Result) -> bytes:
    """The report as bytes."""
    return build_report(result, created=run.created).encode()


def show_card(result: Result, stem: str) -> None:
    """The model card of a representation that can be chosen."""
    st.subheader("Model card", anchor=False)
    st.markdown("What a representation is, what it is for, how it was measured, and what to beware of.")
    titles = {one["name"]: one["title"] for one in result["methods"]}
    names = list(titles)
    preferred = names.index(chosen_method(result))
    method = st.selectbox("Representation", names, index=preferred, format_func=titles.__getitem__, key="card-method")
    left, right = st.columns(2)
    with left:
        offer(
            "Card (Markdown)", lambda: markdown(model_card(result, method)).encode(), f"{stem}-card.md", "text/markdown"
        )
    with right:
        offer("Card (HTML)", lambda: page(model_card(result, method)).encode(), f"{stem}-card.html", "text/html")


def show_summary(result: Result) -> None:
    """The report's first page."""
    for question, sentences in answers(result).items():
        st.subheader(question, anchor=False)
        st.markdown("\n".join(f"- {plain_markdown(sentence)}" for sentence in sentences))


def title_of(result: Result) -> str:
    """The audit's answer, or that it has none."""
    return headline(result, View(attributes(result)[0])) if result["methods"] else "No method of this audit finished"


open_page("Report", "📄")
with guarded():
    run = finished_audit()
    if run is not None:
        result = result_of(run)
        st.title(plain_markdown(title_of(result)), anchor=False)
        show_files(run, result)
        show_summary(result)
        st.divider()
        link("pages/compare.py", "Back: what can still be guessed", icon=":material/scatter_plot:")

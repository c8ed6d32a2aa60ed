"""Files to take away from a finished audit: report, tables, cards; each is made only when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import streamlit as st

from diffoci.access_log import Thing
from diffoci.audit.result import AuditResult
from diffoci.model_audit.result import ModelAuditResult
from diffoci.report.table_files import zipped
from diffoci.report.taken_away import card_file, report_file
from diffoci.runs.store import Run
from diffoci.runs.study import Result
from diffoci.ui.access import noted
from diffoci.ui.guard import guarded
from diffoci.ui.links import audit_id
from diffoci.ui.notices import made_or_told
from diffoci.ui.runs.signing import signing_key
from diffoci.ui.words import plain_markdown

Found = AuditResult | ModelAuditResult
_CHECKING = "Anyone can check its numbers with `python -m diffoci verify FILE`; `--rerun` computes them again."


def offer_report_and_tables(run: Run, result: Found, *, about: str) -> None:
    """Two boxes: the report, with who signs it, and every table."""
    stem = _file_stem(run)
    left, right = st.columns(2)
    with left, st.container(border=True):
        st.subheader("The report", anchor=False)
        st.markdown(about)
        report = partial(_report_of, run, result)
        _offer("Report (HTML)", report, f"{stem}.html", "text/html", what="report", primary=True)
        st.caption(_CHECKING)
        with guarded():  # a key that cannot be used is said here and takes nothing else off the page
            _say_who_signs()
    with right, st.container(border=True):
        st.subheader("Every table", anchor=False)
        st.markdown("All numbers, unrounded, one file per table.")
        for title, kind in (("Tables (CSV)", "csv"), ("Tables (Parquet)", "parquet")):
            _offer(title, partial(zipped, result, kind), f"{stem}-{kind}.zip", "application/zip", what="tables")


def offer_cards(run: Run, result: Found, name: str) -> None:
    """The card of one representation or model, in both kinds of file."""
    stem = _file_stem(run)
    left, right = st.columns(2)
    with left:
        card = partial(_card_of, result, name, "md")
        _offer("Card (Markdown)", card, f"{stem}-card.md", "text/markdown", what="card")
    with right:
        card = partial(_card_of, result, name, "html")
        _offer("Card (HTML)", card, f"{stem}-card.html", "text/html", what="card")


def offer_lab_report(run: Run, result: Result) -> None:
    """A run of a lab as one file, which `verify` checks."""
    make = noted(partial(_report_of, run, result), what="report", id=run.id)
    st.download_button(
        "Report (HTML)",
        made_or_told(make),
        file_name=f"{run.study.name}-{run.id[:8]}.html",
        mime="text/html",
        key="lab-report",
        icon=":material/download:",
        on_click="ignore",
    )
    st.caption(_CHECKING)


def _file_stem(run: Run) -> str:
    """How the names of an audit's files begin."""
    return f"audit-{run.id[:8]}"


def _offer(label: str, make: Callable[[], bytes], name: str, mime: str, *, what: Thing, primary: bool = False) -> None:
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


def _say_who_signs() -> None:
    """The key that this server signs with, where it has one."""
    if (key := signing_key()) is not None:
        signer = key.public
        st.caption(
            f"Report, card and shared zip are signed by {plain_markdown(signer.name)}. Fingerprint of the key: "
            f"`{signer.fingerprint}`"
        )


def _report_of(run: Run, result: Result) -> bytes:
    return report_file(result, created=run.created, key=signing_key())


def _card_of(result: Found, name: str, kind: Literal["md", "html"]) -> bytes:
    return card_file(result, name, kind=kind, key=signing_key())

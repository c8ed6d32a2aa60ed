"""Links between pages that carry the audit along in the address."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from diffoci.runs.store import is_id

PARAMETER = "audit"


@dataclass(frozen=True)
class Page:
    """A page in the sidebar; `question` is the one it answers."""

    path: str
    title: str
    icon: str
    question: str


PAGES = (
    Page("app.py", "Home", "⚖️", "What is this, and what was audited so far?"),
    Page("pages/data.py", "Data", "🗂️", "Who is in the data?"),
    Page("pages/proxies.py", "Proxies", "🔎", "Which columns give the attribute away?"),
    Page("pages/train.py", "Train", "🏋️", "Run the audit and watch it."),
    Page("pages/compare.py", "Compare", "📊", "What can still be guessed, and what does it cost?"),
    Page("pages/features.py", "Features", "🧮", "Which features are dropped for which attribute?"),
    Page("pages/decisions.py", "Decisions", "🚦", "Whom would decisions favour?"),
    Page("pages/report.py", "Report", "📄", "Take the audit away as one file."),
    Page("pages/learn.py", "Learn", "🎓", "Try the ideas on data whose truth is known."),
    Page("pages/feature_lab.py", "Feature lab", "🧪", "Select features on well-known data."),
    Page("pages/spurious_lab.py", "Spurious lab", "🐦", "Learn past a misleading background."),
)


def audit_id() -> str | None:
    """Return the id in the address if it has the form of one."""
    text = st.query_params.get(PARAMETER, "")
    return text if is_id(text) else None


def query(identifier: str | None) -> dict[str, str]:
    """Return the part of an address that names an audit."""
    return {} if identifier is None else {PARAMETER: identifier}


def link(path: str, label: str, *, icon: str | None = None, audit: str | None = None, help: str | None = None) -> None:
    """Link to a page, with `audit` or else the audit now shown."""
    st.page_link(path, label=label, icon=icon, help=help, query_params=query(audit or audit_id()))


def go(path: str, *, audit: str | None = None) -> None:
    """Leave for another page, with `audit` or else the audit now shown."""
    st.switch_page(path, query_params=query(audit or audit_id()))

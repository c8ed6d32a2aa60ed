"""Links between pages that carry the audit along in the address."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from diffoci.runs.store import is_id

PARAMETER = "audit"
DRAFT = "draft"


@dataclass(frozen=True)
class Page:
    """A page in the sidebar; `question` is the one it answers."""

    path: str
    title: str
    icon: str
    question: str


PAGES = (
    Page("app.py", "Home", ":material/home:", "What is this, and what was audited so far?"),
    Page("pages/data.py", "Data", ":material/table:", "Who is in the data?"),
    Page("pages/proxies.py", "Proxies", ":material/search:", "Which columns give the attribute away?"),
    Page("pages/train.py", "Train", ":material/play_circle:", "Run the audit and watch it."),
    Page("pages/compare.py", "Compare", ":material/scatter_plot:", "What can still be guessed, and what does it cost?"),
    Page("pages/features.py", "Features", ":material/filter_list:", "Which features are dropped for which attribute?"),
    Page("pages/decisions.py", "Decisions", ":material/groups:", "Whom would decisions favour?"),
    Page("pages/report.py", "Report", ":material/description:", "Take the audit away as one file."),
    Page("pages/two_audits.py", "Two audits", ":material/compare_arrows:", "What changed, and is it more than noise?"),
    Page("pages/learn.py", "Learn", ":material/school:", "Try the ideas on data whose truth is known."),
    Page("pages/feature_lab.py", "Feature lab", ":material/science:", "Select features on well-known data."),
    Page("pages/spurious_lab.py", "Spurious lab", ":material/hide_image:", "Learn past a misleading background."),
)


def audit_id() -> str | None:
    """Return the id in the address if it has the form of one."""
    text = st.query_params.get(PARAMETER, "")
    return text if is_id(text) else None


def link(path: str, label: str, *, icon: str | None = None, audit: str | None = None, help: str | None = None) -> None:
    """Link to a page, with `audit` or else the audit now shown; `audit=""` leaves the audit behind."""
    if path in pages():
        st.page_link(path, label=label, icon=icon, help=help, query_params=_carried(audit))


@cache
def pages() -> dict[str, Page]:
    """Return the pages this installation has, in the order of the sidebar."""
    root = Path(__file__).parents[2]
    return {page.path: page for page in PAGES if (root / page.path).exists()}


def go(path: str, *, audit: str | None = None) -> None:
    """Leave for another page, with `audit` or else the audit now shown; `audit=""` leaves the audit behind."""
    st.switch_page(path, query_params=_carried(audit))


def _carried(audit: str | None) -> dict[str, str]:
    """What the address keeps: the audit, or where there is none the data chosen for the next one."""
    identifier = audit_id() if audit is None else audit
    if identifier:
        return {PARAMETER: identifier}
    chosen = st.query_params.get(DRAFT, "")
    return {DRAFT: chosen} if is_id(chosen) else {}

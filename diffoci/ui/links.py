"""Links between pages that carry the audit along in the address."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import streamlit as st

from diffoci.app_folder import app_folder
from diffoci.runs.run_files import is_id

PARAMETER = "audit"
DRAFT = "draft"


Need = Literal["nothing", "data", "result", "two results"]


@dataclass(frozen=True)
class Page:
    """A page in the sidebar; `question` is the one it answers, `needs` what it has nothing to show without.

    `studies` are those whose results it shows, where it needs one. Pages of one `group` stand together; the group
    appears with the first page that this installation has of it.
    """

    path: str
    title: str
    icon: str
    question: str
    group: str = ""
    needs: Need = "nothing"
    studies: tuple[str, ...] = ("audit",)


_AUDIT, _MODEL, _SHARE, _LABS, _LEARN = "Audit", "A model you have", "Share", "Labs", "Learn"
_BOTH = ("audit", "model-audit")
PAGES = (
    Page("app.py", "Home", ":material/home:", "What is this, and what has been audited so far?"),
    Page("pages/data.py", "Data", ":material/table:", "Who is in the data?", _AUDIT),
    Page("pages/proxies.py", "Proxies", ":material/search:", "Which columns reveal the attribute?", _AUDIT, "data"),
    Page("pages/train.py", "Train", ":material/play_circle:", "Run the audit and watch it.", _AUDIT, "data"),
    Page(
        "pages/compare.py", "Compare", ":material/scatter_plot:", "What can still be guessed, and what does it cost?",
        _AUDIT, "result",
    ),
    Page(
        "pages/features.py", "Features", ":material/filter_list:", "Which features are dropped for which attribute?",
        _AUDIT, "result",
    ),
    Page(
        "pages/decisions.py", "Decisions", ":material/groups:", "Who do the decisions favour?", _AUDIT, "result", _BOTH
    ),
    Page(
        "pages/scores.py", "A model's scores", ":material/speed:", "What does a model you have do to groups?", _MODEL
    ),
    Page(
        "pages/criteria.py", "Criteria", ":material/balance:", "What does its score tell, at every threshold?",
        _MODEL, "result", ("model-audit",),
    ),
    Page(
        "pages/report.py", "Report", ":material/description:", "Take the audit away as one file.", _SHARE, "result",
        _BOTH,
    ),
    Page(
        "pages/two_audits.py", "Two audits", ":material/compare_arrows:", "What changed, and is it more than noise?",
        _SHARE, "two results",
    ),
    Page("pages/feature_lab.py", "Feature lab", ":material/science:", "Which features determine the outcome?", _LABS),
    Page(
        "pages/spurious_lab.py", "Spurious lab", ":material/hide_image:",
        "Does a network look at the bird or at the water?", _LABS,
    ),
    Page("pages/learn.py", "Learn", ":material/school:", "Try the ideas on data whose truth is known.", _LEARN),
)  # fmt: skip

# By the name of a study: where its results are shown, and in what words the list of runs leads there.
RESULT_PAGES = {
    "audit": (
        ("pages/compare.py", "Compare the methods", ":material/scatter_plot:"),
        ("pages/two_audits.py", "Compare with another", ":material/compare_arrows:"),
    ),
    "feature-lab": (("pages/feature_lab.py", "What was chosen", ":material/science:"),),
    "fairness-tables": (("pages/feature_lab.py", "Beside the paper", ":material/science:"),),
    "domain-shift": (("pages/feature_lab.py", "Beside the paper", ":material/science:"),),
    "observations": (("pages/feature_lab.py", "What T prefers", ":material/science:"),),
    "model-audit": (
        ("pages/criteria.py", "The criteria", ":material/balance:"),
        ("pages/decisions.py", "Rates at any threshold", ":material/groups:"),
        ("pages/report.py", "Report", ":material/description:"),
        ("pages/two_audits.py", "Compare with another", ":material/compare_arrows:"),
    ),
    "spurious-lab": (("pages/spurious_lab.py", "The spurious lab", ":material/hide_image:"),),
}


def result_page(study: str) -> str:
    """Return the page that shows the results of a study first; the Train page shows those of any."""
    return next((path for path, *_ in RESULT_PAGES.get(study, ())), "pages/train.py")


def audit_id() -> str | None:
    """Return the id in the address if it has the form of one."""
    text = st.query_params.get(PARAMETER, "")
    return text if is_id(text) else None


def link(
    path: str,
    label: str,
    *,
    icon: str | None = None,
    audit: str | None = None,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """Link to a page, with `audit` or else the audit now shown; `audit=""` leaves the audit behind."""
    if path in pages():
        st.page_link(path, label=label, icon=icon, help=help, disabled=disabled, query_params=_carried(audit))


def next_step(path: str, label: str, *, icon: str | None = None, audit: str | None = None) -> None:
    """Link to what comes next, as the one primary button of a page; its key lets no page have two."""
    with st.container(key="next-step", width="content"):
        link(path, label, icon=icon, audit=audit)


@cache
def pages() -> dict[str, Page]:
    """Return the pages this installation has, in the order of the sidebar."""
    return {page.path: page for page in PAGES if (app_folder() / page.path).exists()}


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

"""The sidebar: pages in groups, greyed where they have nothing to show, and one primary button a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.runs.store import Run
from diffoci.ui import links
from tests.pages.conftest import Open, assert_nothing_technical, finished

ORDER = [
    *("Home", "Data", "Proxies", "Train", "Compare", "Features", "Decisions"),
    *("A model's scores", "Criteria", "Report", "Two audits", "Feature lab", "Spurious lab", "Learn"),
]


def greyed(app: AppTest) -> list[str]:
    return [one.proto.label for one in app.sidebar.get("page_link") if one.proto.disabled]


def said(app: AppTest) -> str:
    return " ".join(one.value for one in app.sidebar.caption)


def test_pages_stand_in_their_groups_and_order(open_at: Open) -> None:
    app = open_at()
    assert [one.proto.label for one in app.sidebar.get("page_link")] == ORDER
    groups = [one.value for one in app.sidebar.caption if one.value.startswith("**")]
    assert groups == ["**Audit**", "**A model you have**", "**Share**", "**Labs**"]


def test_a_group_is_left_out_where_none_of_its_pages_is_there(open_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    there = {page.path: page for page in links.PAGES if page.group != "Labs"}
    monkeypatch.setattr("diffoci.ui.sidebar.pages", lambda: there)
    app = open_at()
    assert_nothing_technical(app)
    assert [one.proto.label for one in app.sidebar.get("page_link")][-2:] == ["Two audits", "Learn"]
    assert "**Labs**" not in said(app)


def test_with_nothing_chosen_pages_say_what_they_wait_for(open_at: Open) -> None:
    app = open_at()
    assert greyed(app) == ["Proxies", "Train", "Compare", "Features", "Decisions", "Criteria", "Report", "Two audits"]
    assert "Proxies and Train wait for data." in said(app)
    assert "Compare, Features and Decisions wait for a finished audit." in said(app)
    assert "Two audits waits for two finished audits." in said(app)


def test_data_chosen_and_audits_finished_open_their_pages(open_at: Open) -> None:
    app = open_at().button(key="open-student").click().run()
    assert greyed(app) == ["Compare", "Features", "Decisions", "Criteria", "Report", "Two audits"]
    app = open_at("pages/compare.py", audit=finished().id)
    assert greyed(app) == ["Criteria", "Two audits"]
    assert "Criteria waits for a finished audit of a model." in said(app)


def test_a_running_audit_lets_its_pages_wait_for_its_end(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    app = open_at("pages/train.py", audit=audit_in("running").id)
    assert greyed(app) == ["Compare", "Features", "Decisions", "Criteria", "Report", "Two audits"]
    assert "Decisions wait for the end of this audit." in said(app)


def primary(app: AppTest) -> list[str]:
    """What the primary buttons of a page say: buttons, and the link that is drawn like one."""
    linked = [one.proto.label for block in keyed(app.main, "next-step") for one in block.get("page_link")]
    buttons = [one.proto for kind in ("button", "download_button") for one in app.main.get(kind)]
    return linked + [one.label for one in buttons if one.type == "primary"]


def keyed(block: Any, key: str) -> list[Any]:
    """The containers of a page that have this key."""
    found = []
    for child in getattr(block, "children", {}).values():
        found += [child] if str(getattr(child.proto, "id", "")).endswith(key) else keyed(child, key)
    return found


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("app.py", "Run a 30-second audit of data whose truth is known"),
        ("pages/data.py", "Next: which columns reveal it?"),
        ("pages/proxies.py", "Next: what can still be guessed"),
        ("pages/train.py", "Compare the methods"),
        ("pages/compare.py", "Next: which features are dropped for which attribute"),
        ("pages/features.py", "Next: who do the decisions favour"),
        ("pages/decisions.py", "Next: take the audit away as a report"),
        ("pages/report.py", "Report (HTML)"),
        ("pages/learn.py", "Next: choose data for an audit"),
    ],
)
def test_one_primary_button_says_what_comes_next(open_at: Open, page: str, words: str) -> None:
    app = open_at(page, audit=finished().id)
    assert_nothing_technical(app)
    assert primary(app) == [words]

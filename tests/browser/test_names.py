"""Names that strangers chose are shown letter by letter, as no link, icon, sign or markup, in a real browser."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError

from tests.browser.conftest import PATIENCE, Server, free_port
from tests.browser.names_page import NAMES
from tests.browser.settled import settle, texts

# What each container shows in Streamlit's Markdown, and every element of it but lines of text and empty spans.
SHOWN = """() => Object.fromEntries([...document.querySelectorAll('[class*=st-key-]')].flatMap(one => {
    const key = one.className.match(/st-key-(\\w+-\\d+)/)?.[1]
    const text = one.querySelector('[data-testid=stMarkdownContainer], [data-testid=stCaptionContainer], h1, h3')
    if (!key || !text) return []
    const more = [...text.querySelectorAll('*')].filter(
        e => !e.matches('p, strong, ul, li, div, h1, h3, [data-heading-text], span:empty'))
    return [[key, [text.innerText.trim(), more.map(e => e.outerHTML)]]]
}))"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    server = Server(tmp_path_factory.mktemp("names"), free_port(), script=Path(__file__).with_name("names_page.py"))
    server.start()
    page = browser.new_page()
    page.set_default_timeout(2 * PATIENCE)
    page.goto(server.address)
    settle(page)
    yield page
    page.close()
    server.stop()


def test_item_5_markdown_shows_names_letter_by_letter_and_nothing_else(page: Page) -> None:
    shown: dict[str, Any] = page.evaluate(SHOWN)
    assert len(shown) >= 12 * len(NAMES)
    changed = {key: text for key, (text, _) in shown.items() if text != NAMES[int(key.rpartition("-")[2])]}
    assert changed == {}
    assert {key: more for key, (_, more) in shown.items() if more} == {}


def test_the_same_names_would_have_become_links_icons_and_signs(page: Page) -> None:
    unescaped = page.locator(".st-key-unescaped")
    assert unescaped.locator("a").count() > 5
    assert unescaped.locator("[role=img], img").count() > 2
    assert set("→←↔—≥≤≈😄👍") <= set(unescaped.inner_text())


def test_item_5_cells_and_choices_show_names_letter_by_letter(page: Page) -> None:
    table, chosen = page.locator(".st-key-table"), page.locator(".st-key-chosen")
    table.get_by_test_id("stDataFrame").hover()  # it has its rows when it is looked at
    texts(table.locator("[role=gridcell]"), list(NAMES), read=Locator.all_text_contents)
    texts(chosen.locator("[data-tag] > span"), list(NAMES))
    _opened(page, ".st-key-a-box-0 input")
    texts(page.get_by_role("option"), [NAMES[0]])
    for part in (table, chosen, page.get_by_role("listbox")):
        assert part.locator("a, img, [role=img]").count() == 0


def _opened(page: Page, box: str) -> None:
    """Open a list of choices by the keyboard; one that opens while this long page still moves closes again at once."""
    page.locator(box).scroll_into_view_if_needed()
    settle(page)
    for _ in range(6):
        page.locator(box).press("ArrowDown")
        with contextlib.suppress(TimeoutError):
            page.get_by_role("option").first.wait_for(timeout=5000)
            return

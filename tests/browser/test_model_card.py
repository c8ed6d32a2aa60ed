"""A model card in a real browser: every table fits its page, on a screen and printed."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from diffoci.report.model_card import model_card
from diffoci.report.writing.page import page as html
from tests.browser.test_report import NARROWEST
from tests.sample_audit import sample


def test_no_table_of_a_card_is_wider_than_its_page(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "card.html"
    file.write_text(html(model_card(sample().result())), "utf-8")
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.goto(file.as_uri())
    beyond = page.evaluate("[...document.querySelectorAll('.held')].map(e => e.scrollWidth - e.clientWidth)")
    assert max(beyond) == 0
    page.emulate_media(media="print")
    page.set_viewport_size({"width": NARROWEST, "height": 900})
    rights = page.evaluate("[...document.querySelectorAll('table')].map(e => e.getBoundingClientRect().right)")
    page.close()
    assert max(rights) <= NARROWEST + 1

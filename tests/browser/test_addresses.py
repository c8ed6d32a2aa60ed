"""Addresses in a real browser: they follow what is looked at, and open it again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE
from tests.browser.settled import settle
from tests.sample_audit import sample


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    tab = context.new_page()
    tab.set_default_timeout(2 * PATIENCE)
    yield tab
    context.close()


def test_the_address_follows_the_view_and_opens_it_again(page: Page, finished_address: str) -> None:
    page.goto(f"{finished_address}/compare?audit={sample().id}&score=Accuracy&attribute=nobody")
    settle(page)
    score, method = (page.locator(f".st-key-{key} input") for key in ("score", "method"))
    expect(score).to_have_value("Accuracy")
    page.wait_for_url(lambda address: "attribute" not in address)  # there is no such attribute
    method.click()
    page.get_by_role("option", name="LEACE").click()
    page.wait_for_url("**method=LEACE*")
    settle(page)
    page.reload()
    settle(page)
    expect(score).to_have_value("Accuracy")
    expect(method).to_have_value("LEACE")
    page.get_by_test_id("stSidebar").get_by_role("link", name="Features").click()
    page.wait_for_url("**/features?audit=*")
    settle(page)
    page.mouse.move(700, 500)  # what the link under the mouse says of itself covers the one above
    page.get_by_test_id("stSidebar").get_by_role("link", name="Compare").click()
    page.wait_for_url("**/compare?audit=*")
    settle(page)
    expect(score).to_have_value("Accuracy")
    assert "score=Accuracy" in page.url

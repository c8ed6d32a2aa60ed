"""Every page for those who do not see it well, use no mouse or have a narrow window: axe finds nothing serious, keys
are enough, nothing is wider than the window."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, ROOT, picture
from tests.browser.keyboard import focus_is_seen, tab_to
from tests.browser.settled import settle
from tests.sample_audit import sample

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
WIDE, NARROW = {"width": 1400, "height": 1100}, {"width": 500, "height": 1100}
PAGES = ["", *sorted(path.stem for path in (ROOT / "pages").glob("*.py"))]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport=WIDE)  # type: ignore[arg-type]
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.add_init_script(AXE)
    yield tab
    context.close()


def findings(page: Page, where: str) -> list[str]:
    """What axe finds serious or critical, in words."""
    settle(page)
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{where}: {one['id']} ({one['impact']}) at {node['target']}: {node['html'][:120]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def beyond_the_window(page: Page, where: str) -> list[str]:
    """By how much a page scrolls sideways, in words."""
    settle(page)
    picture(page, re.sub(r"[^a-z0-9]+", "-", where).strip("-"))
    pixels = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{where}: scrolls sideways by {pixels} pixels"] if pixels > 0 else []


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("state", ["empty", "audit"])
def test_every_page_fits_its_window_and_axe_finds_nothing_serious(
    page: Page, finished_address: str, state: str, theme: Any
) -> None:
    page.emulate_media(color_scheme=theme)
    query = f"?audit={sample().id}" if state == "audit" else ""
    found = []
    for name in PAGES:
        page.goto(f"{finished_address}/{name}{query}")
        where = f"{name or 'home'} {state} {theme}"
        found += findings(page, where)
        found += beyond_the_window(page, f"{where} wide")
        page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        found += beyond_the_window(page, f"{where} narrow")
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["compare", "proxies"])
def test_no_table_of_a_wide_page_has_to_be_scrolled_sideways(page: Page, finished_address: str, name: str) -> None:
    page.goto(f"{finished_address}/{name}?audit={sample().id}")
    settle(page)
    page.get_by_test_id("stTable").first.wait_for()
    wider = "one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible'"
    tables = "document.querySelectorAll('[data-testid=stTable], [data-testid=stTable] *, .dvn-scroller')"
    assert page.evaluate(f"[...{tables}].filter({wider}).map(one => one.innerText.slice(0, 80))") == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_forms(page: Page, finished_address: str, theme: Any) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(finished_address)
    settle(page)
    page.locator(".st-key-open-student button").click()
    expect(page.locator("h1")).to_contain_text("Student Performance")
    found = findings(page, f"data chosen ({theme})")
    page.get_by_role("link", name="Run the audit").click()
    page.locator(".st-key-train-start button").wait_for()
    page.get_by_text("Every setting, with the paper's value").click()
    found += findings(page, f"settings of an audit ({theme})")
    assert not found, "\n".join(found)


def test_keys_open_a_page_and_move_the_cutoff(page: Page, finished_address: str) -> None:
    page.goto(f"{finished_address}/compare?audit={sample().id}")
    settle(page)
    tab_to(page, page.get_by_test_id("stSidebar").get_by_role("link", name="Features"))
    assert focus_is_seen(page)
    picture(page, "keyboard-focus")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/features?audit={sample().id}")
    expect(page.locator("h1")).to_contain_text("Of 28 features, the training drops")
    settle(page)
    dropped = "document.querySelector('.js-plotly-plot')?.data?.[0].text?.filter(one => one.includes('✕')).length ?? -1"
    before = page.evaluate(dropped)
    tab_to(page, page.get_by_role("slider"))
    assert focus_is_seen(page)
    for _ in range(5):
        page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"before => ({dropped}) > before", arg=before)
    more = page.evaluate(dropped)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"more => (now => now >= 0 && now < more)({dropped})", arg=more)

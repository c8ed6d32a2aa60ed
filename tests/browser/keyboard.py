"""Go through a page by keys alone."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

MOST_STEPS = 80
_SEEN = """() => {
  const look = getComputedStyle(document.activeElement);
  return (look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2) || look.boxShadow !== 'none';
}"""


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{MOST_STEPS} tabs do not reach {target}")


def focus_is_seen(page: Page) -> bool:
    """Say whether what has the focus looks like it."""
    return bool(page.evaluate(_SEEN))

"""Wait until a page is at rest, and know how much else the machine does."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page

_AT_REST = """() => document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]')
    && document.querySelector('h1, h3')
    && !document.querySelector('[data-stale=true], [data-testid=stSpinner], [data-testid=stSkeleton]')
    && [...document.querySelectorAll('.stPlotlyChart')].every(chart => chart.querySelector('.main-svg'))
    && document.getAnimations().every(one => one.playState !== 'running' || one.effect.getTiming().iterations > 99)"""


def settle(page: Page) -> None:
    """Wait until nothing is computed, faded or drawn any more."""
    page.wait_for_timeout(250)
    page.wait_for_function(_AT_REST)


def texts(
    found: Locator, expected: list[str], *, read: Callable[[Locator], list[str]] = Locator.all_inner_texts
) -> None:
    """Wait until these elements, and no others, have exactly these texts; a grid comes row by row."""
    deadline = time.monotonic() + 60
    while (shown := read(found)) != expected and time.monotonic() < deadline:
        found.page.wait_for_timeout(100)
    assert shown == expected, shown


def crowding() -> float:
    """How many times slower than on a quiet machine things may go, because more wants to run than there are cores."""
    return min(4.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))

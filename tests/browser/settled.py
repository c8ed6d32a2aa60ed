"""Wait until a page is at rest, and know how much else the machine does."""

from __future__ import annotations

import os

from playwright.sync_api import Page

_AT_REST = """() => document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]')
    && document.querySelector('h1, h3')
    && !document.querySelector('[data-stale=true], [data-testid=stSpinner], [data-testid=stSkeleton]')
    && [...document.querySelectorAll('.stPlotlyChart')].every(chart => chart.querySelector('.main-svg'))
    && document.getAnimations().every(one => one.playState !== 'running' || one.effect.getTiming().iterations > 99)"""


def settle(page: Page) -> None:
    """Wait until nothing is computed, faded or drawn any more."""
    page.wait_for_timeout(250)
    page.wait_for_function(_AT_REST)


def crowding() -> float:
    """How many times slower than on a quiet machine things may go, because more wants to run than there are cores."""
    return min(4.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))

"""``python -m tests.load``: how long pages take to open for many people at once, while two audits run."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from playwright.async_api import Browser, Page, async_playwright

from diffoci.audit.engine import make_spec
from diffoci.runs.store import Run
from diffoci.ui.queue import enqueue, now_running
from tests.browser.conftest import BROWSER_ARGUMENTS, Server, free_port
from tests.sample_audit import make_sample

THINKING = (3.0, 8.0)  # seconds between the page being there and the next click
PATIENCE = 120_000  # milliseconds
# A page is there when its title is the page's own, its heading and first chart are drawn and neither is left over from
# the page before.
CHARTED = {"Data", "Proxies", "Compare", "Features dropped", "Decisions", "Learn"}
OPENED = """([title, charted]) => {
  const fresh = selector => [...document.querySelectorAll(selector)].some(
    one => one.getClientRects().length && !one.closest('[data-stale=true]'));
  return document.title.startsWith(title) && fresh('[data-testid=stMain] h1')
    && (!charted || fresh('[data-testid=stMain] .js-plotly-plot .main-svg'));
}"""
LINKS = {
    "Home": "Home",
    "Data": "Data",
    "Proxies": "Proxies",
    "Compare": "Compare",
    "Features": "Features dropped",
    "Decisions": "Decisions",
    "Report": "Report",
    "Learn": "Learn",
}


@dataclass(frozen=True)
class Opening:
    """One page opened by one person."""

    page: str
    seconds: float
    cold: bool  # by its address, with everything the browser has to load; else by a click in the sidebar


async def there(page: Page, title: str, *, charted: bool) -> None:
    await page.wait_for_function(OPENED, arg=[title, charted], timeout=PATIENCE)


async def person(browser: Browser, address: str, audit: str, number: int, pages: int) -> list[Opening]:
    """Come to the home page, choose data, then go from page to page, with pauses to read."""
    chance = random.Random(number)
    context = await browser.new_context(viewport={"width": 1000, "height": 700})
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    openings = []
    await asyncio.sleep(chance.uniform(0, 20))  # nobody comes at the same moment
    begun = time.monotonic()
    await page.goto(f"{address}/?audit={audit}")
    await there(page, "Home", charted=False)
    openings.append(Opening("Home", time.monotonic() - begun, cold=True))
    await asyncio.sleep(chance.uniform(*THINKING))
    await page.locator(".st-key-open-student button").click()
    await there(page, "Data", charted=True)
    # The card leaves the audit behind, an address brings it back; the session keeps the data chosen.
    await page.get_by_test_id("stSidebar").get_by_role("link", name="Home", exact=True).click()
    await there(page, "Home", charted=False)
    await page.get_by_role("link", name="Compare the methods").first.click()
    await there(page, "Compare", charted=True)
    for _ in range(pages):
        await asyncio.sleep(chance.uniform(*THINKING))
        name, title = chance.choice([entry for entry in LINKS.items() if not page.url.endswith(entry[0].lower())])
        begun = time.monotonic()
        await page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
        await there(page, title, charted=title in CHARTED)
        openings.append(Opening(name, time.monotonic() - begun, cold=False))
    return openings


async def everybody(address: str, audit: str, people: int, pages: int) -> list[Opening]:
    async with async_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = await playwright.chromium.launch(executable_path=path, args=list(BROWSER_ARGUMENTS))
        begun, before = time.monotonic(), seconds_computed()
        found = await asyncio.gather(*(person(browser, address, audit, k, pages) for k in range(people)))
        after, passed = seconds_computed(), time.monotonic() - begun
        used = ", ".join(f"{who} {(after[who] - before.get(who, 0)) / passed:.2f}" for who in after)
        print(f"cores used over {passed:.0f} s: {used}")
        await browser.close()
    return [opening for openings in found for opening in openings]


def seconds_computed() -> dict[str, float]:
    """Time on a core so far of the server, of the audits and of the browsers, all children of this process."""
    found = dict.fromkeys(["server", "audits", "browsers"], 0.0)
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            words = " ".join(child.cmdline())
            who = (
                "server"
                if "streamlit run" in words
                else "browsers"
                if "chrom" in words or "node" in words
                else "audits"
            )
            found[who] += child.cpu_times().user + child.cpu_times().system
    return found


def start_long_audits(count: int) -> list[Run]:
    """Start audits that run longer than the measurement."""
    spec = make_spec("student", sensitive=["sex"], twin=True, preset="standard", seeds=20, device="cpu")
    runs = [Run.create(spec) for _ in range(count)]
    for run in runs:
        enqueue(run)
    deadline = time.monotonic() + 60
    while len(now_running()) < count and time.monotonic() < deadline:
        time.sleep(0.5)
    return runs


def summed_up(openings: list[Opening]) -> str:
    seconds = np.array([opening.seconds for opening in openings])
    median, most = np.quantile(seconds, [0.5, 0.95])
    return f"{len(seconds)} openings: median {median:.2f} s, 95 % under {most:.2f} s, slowest {seconds.max():.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--pages", type=int, default=12, help="pages each of them opens after the first")
    parser.add_argument("--audits", type=int, default=2)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="diffoci-load-"))
    os.environ.update(DIFFOCI_RUNS=str(folder / "runs"), DIFFOCI_CACHE=str(folder / "cache"), DIFFOCI_AT_ONCE="2")
    finished = make_sample()
    server = Server(folder, free_port())
    server.start()
    runs = start_long_audits(arguments.audits)
    try:
        print(f"{arguments.people} people, {len(now_running())} audits running, load {os.getloadavg()[0]:.1f}")
        openings = asyncio.run(everybody(server.address, finished.id, arguments.people, arguments.pages))
        print(f"{len(now_running())} audits still running, load {os.getloadavg()[0]:.1f}")
        print(summed_up(openings))
        for name in ["by address", *LINKS]:
            chosen = [one for one in openings if (one.cold if name == "by address" else one.page == name)]
            if chosen:
                print(f"  {name:10} {summed_up(chosen)}")
    finally:
        for run in runs:
            run.cancel()
        time.sleep(3.5)
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

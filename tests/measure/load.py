"""``python -m tests.measure.load``: how long pages take to open for many people at once, while two audits run."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from playwright.async_api import Browser, Page, TimeoutError, async_playwright

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.queue import enqueue
from diffoci.runs.store import Run, now_running
from tests.browser.conftest import BROWSER_ARGUMENTS, Server, free_port
from tests.sample_audit import make_sample

READING = (15.0, 45.0)  # seconds with a page before the next click
ARRIVING = 180.0  # seconds within which everybody comes: each browser first loads and compiles megabytes of scripts
PATIENCE = 120_000  # milliseconds
POLLING = 100  # milliseconds between two looks whether a page is there
MOST_SECONDS = 5.0  # that 95 % of the pages may take to open
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


async def opened(page: Page, name: str, way: Awaitable[object], *, cold: bool = False) -> Opening:
    """Go to a page and wait until it is there; one that never comes counts as the whole patience."""
    begun, title = time.monotonic(), LINKS[name]
    with contextlib.suppress(TimeoutError):
        await way
        # Not at every frame, as the default is: twenty browsers that are asked sixty times a second draw all the time.
        await page.wait_for_function(OPENED, arg=[title, title in CHARTED], timeout=PATIENCE, polling=POLLING)
    return Opening(name, time.monotonic() - begun, cold)


@dataclass(frozen=True)
class Pace:
    """How fast people come and click, in seconds, and how many pages they open after the first four."""

    arriving: float = ARRIVING
    reading: tuple[float, float] = READING
    pages: int = 4


async def person(browser: Browser, address: str, audit: str, number: int, pace: Pace) -> list[Opening]:
    """Come to the home page, choose data, then go from page to page, with pauses to read."""
    chance = random.Random(number)
    context = await browser.new_context(viewport={"width": 1000, "height": 700})
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    sidebar = page.get_by_test_id("stSidebar")
    await asyncio.sleep(chance.uniform(0, pace.arriving))
    openings = [await opened(page, "Home", page.goto(f"{address}/?audit={audit}"), cold=True)]
    await asyncio.sleep(chance.uniform(*pace.reading))
    openings.append(await opened(page, "Data", page.locator(".st-key-open-student button").click()))
    # The card leaves the audit behind; the list of audits leads back to it, and the session keeps the data chosen.
    await asyncio.sleep(chance.uniform(*pace.reading))
    openings.append(await opened(page, "Home", sidebar.get_by_role("link", name="Home", exact=True).click()))
    await asyncio.sleep(chance.uniform(*pace.reading))
    to_compare = page.get_by_role("link", name="Compare the methods").first
    openings.append(await opened(page, "Compare", to_compare.click()))
    for _ in range(pace.pages):
        await asyncio.sleep(chance.uniform(*pace.reading))
        name = chance.choice([name for name in LINKS if name != openings[-1].page])
        openings.append(await opened(page, name, sidebar.get_by_role("link", name=name, exact=True).click()))
    return openings


async def everybody(address: str, audit: str, people: int, pace: Pace) -> list[Opening]:
    async with async_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = await playwright.chromium.launch(executable_path=path, args=list(BROWSER_ARGUMENTS))
        await person(browser, address, audit, 0, Pace(0.0, pages=0))  # a server that just started has a lot to import
        begun, before = time.monotonic(), seconds_computed()
        found = await asyncio.gather(*(person(browser, address, audit, k, pace) for k in range(people)))
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
    runs = [Run.create(AUDIT, spec) for _ in range(count)]
    for run in runs:
        enqueue(run)
    deadline = time.monotonic() + 60
    while len(now_running()) < count and time.monotonic() < deadline:
        time.sleep(0.5)
    return runs


def check_running(runs: list[Run], when: str) -> None:
    """Figures taken while fewer audits ran would say nothing of the promise."""
    missing = [run for run in runs if run.id not in now_running()]
    if missing:
        raise SystemExit(f"{len(missing)} of {len(runs)} audits did not run {when} the measurement: it does not count.")


def summed_up(openings: list[Opening]) -> str:
    seconds = np.array([opening.seconds for opening in openings])
    median, most = np.quantile(seconds, [0.5, 0.95])
    return f"{len(seconds)} openings: median {median:.2f} s, 95 % under {most:.2f} s, slowest {seconds.max():.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.load", description=__doc__)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--pages", type=int, default=Pace.pages, help="pages each of them opens after the first four")
    parser.add_argument("--arriving", type=float, default=ARRIVING, help="seconds within which everybody comes")
    parser.add_argument("--reading", type=float, nargs=2, default=READING, help="seconds with a page, least and most")
    parser.add_argument("--audits", type=int, default=2)
    arguments = parser.parse_args()
    pace = Pace(arguments.arriving, tuple(arguments.reading), arguments.pages)
    folder = Path(tempfile.mkdtemp(prefix="diffoci-load-"))
    os.environ.update(DIFFOCI_RUNS=str(folder / "runs"), DIFFOCI_CACHE=str(folder / "cache"), DIFFOCI_AT_ONCE="2")
    finished = make_sample()
    server = Server(folder, free_port())
    server.start()
    runs = start_long_audits(arguments.audits)
    try:
        check_running(runs, "before")
        print(f"{arguments.people} people, {len(now_running())} audits running, load {os.getloadavg()[0]:.1f}")
        openings = asyncio.run(everybody(server.address, finished.id, arguments.people, pace))
        check_running(runs, "after")
        print(f"{len(now_running())} audits still running, load {os.getloadavg()[0]:.1f}")
        print(summed_up(openings))
        slow = float(np.quantile([one.seconds for one in openings], 0.95)) > MOST_SECONDS
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
    sys.exit(f"More than 5 % took longer than {MOST_SECONDS} s." if slow else 0)


if __name__ == "__main__":
    main()

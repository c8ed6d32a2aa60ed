"""``python -m tests.measure.page_views``: does the memory of the server at rest grow with the pages people look at?"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright

from diffoci.ui.links import pages
from tests.browser.conftest import BROWSER_ARGUMENTS, Server, free_port
from tests.measure.load import CHARTED, LINKS, OPENED, PATIENCE
from tests.sample_audit import make_sample

MEASURED_AT = (50, 250, 500)
REST = 5.0  # seconds without a visitor, after which sessions that were left are gone
# Megabytes from the first measurement, by which every page was imported and kept a few times, to the last. It was 10
# (503 to 513, 8 of them before view 200); keeping one page's charts, some 60 kB, for every view would be 27.
MOST_GROWTH = 25.0
TITLES = {**LINKS, "Train": "Train", "Two audits": "Two audits"}
ADDRESSES = {page.title: "" if page.path == "app.py" else Path(page.path).stem for page in pages().values()}


def view(page: Page, address: str, name: str, audit: str) -> None:
    """Open a page by its address: a session of its own for the server."""
    title = TITLES[name]
    page.goto(f"{address}/{ADDRESSES[name]}?audit={audit}&first={audit}")
    page.wait_for_function(OPENED, arg=[title, title in CHARTED], timeout=PATIENCE)


def megabytes_at_rest(page: Page, pid: int) -> float:
    """What the server holds when nobody looks at it."""
    page.goto("about:blank")
    time.sleep(REST)
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.page_views", description=__doc__)
    parser.add_argument("--views", type=int, default=MEASURED_AT[-1])
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="diffoci-views-"))
    os.environ.update(DIFFOCI_RUNS=str(folder / "runs"), DIFFOCI_CACHE=str(folder / "cache"))
    audit = make_sample().id
    server = Server(folder, free_port())
    server.start()
    try:
        with sync_playwright() as playwright:
            path = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = playwright.chromium.launch(executable_path=path, args=list(BROWSER_ARGUMENTS))
            page = browser.new_page(viewport={"width": 1000, "height": 700})
            assert server.process is not None
            begun, names, memory = time.monotonic(), list(ADDRESSES), dict[int, float]()
            for count in range(1, arguments.views + 1):
                view(page, server.address, names[count % len(names)], audit)
                if count in MEASURED_AT or count % 100 == 0 or count == arguments.views:
                    threads = psutil.Process(server.process.pid).num_threads()
                    seconds = time.monotonic() - begun
                    memory[count] = megabytes_at_rest(page, server.process.pid)
                    print(f"{count:4} views, {seconds:4.0f} s: {memory[count]:.0f} MB, {threads} threads", flush=True)
            browser.close()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    grown = memory[max(memory)] - memory[min(memory)]
    sys.exit(f"The server grew by {grown:.0f} MB." if grown > MOST_GROWTH else 0)


if __name__ == "__main__":
    main()

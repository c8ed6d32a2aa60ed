"""``python -m tests.page_views``: does the server's memory grow with the pages people look at?"""

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

from tests.browser.conftest import BROWSER_ARGUMENTS, Server, free_port
from tests.load import CHARTED, LINKS, OPENED, PATIENCE
from tests.sample_audit import make_sample

MEASURED_AT = (50, 250, 500)
MOST_GROWTH = 60.0  # megabytes after the first 50 views, by which everything has been imported and kept once
ADDRESSES = {**{name: name.lower() for name in LINKS}, "Home": ""}


def view(page: Page, address: str, name: str, audit: str) -> None:
    """Open a page by its address: a session of its own for the server."""
    title = LINKS[name]
    page.goto(f"{address}/{ADDRESSES[name]}?audit={audit}")
    charted = title in CHARTED - {"Data"}  # without a choice of data that page has no chart
    page.wait_for_function(OPENED, arg=[title, charted], timeout=PATIENCE)


def megabytes(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.page_views", description=__doc__)
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
            begun, names, memory = time.monotonic(), list(LINKS), dict[int, float]()
            for count in range(1, arguments.views + 1):
                view(page, server.address, names[count % len(names)], audit)
                if count in MEASURED_AT or count % 100 == 0 or count == arguments.views:
                    threads = psutil.Process(server.process.pid).num_threads()
                    seconds = time.monotonic() - begun
                    memory[count] = megabytes(server.process.pid)
                    print(f"{count:4} views, {seconds:4.0f} s: {memory[count]:.0f} MB, {threads} threads", flush=True)
            browser.close()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    grown = memory[max(memory)] - memory[min(memory)]
    sys.exit(f"The server grew by {grown:.0f} MB." if grown > MOST_GROWTH else 0)


if __name__ == "__main__":
    main()

"""How long a model audit takes in a browser: from the roles to the page, and one move of the threshold."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.runs.launch import start
from diffoci.runs.store import Run
from tests.browser.conftest import BROWSER_ARGUMENTS, Server, free_port
from tests.browser.settled import settle
from tests.browser.test_sliders import FIRST, press
from tests.measure.model_audits import spec_of

PATIENCE = 600_000  # milliseconds: audits yield to whatever else the machine does
MOVES = 9
RATES = f"(traces => traces?.every(one => one.x?.length) ? traces.map(one => one.x.join()).join(';') : null)({FIRST})"


def measure(page: Page, server: Server, rows: int) -> None:
    """Audit so many people, wait for the page, and move the threshold."""
    run = Run.create(MODEL_AUDIT, spec_of(server.folder, rows))
    begun = time.perf_counter()
    start(run.folder)
    page.goto(f"{server.address}/criteria?audit={run.id}")
    page.get_by_text("The criteria of a score").wait_for(timeout=PATIENCE)
    page.wait_for_selector(".js-plotly-plot .main-svg", timeout=PATIENCE)
    print(f"{rows:,} rows, 2 models, 3 attributes: roles to page {time.perf_counter() - begun:.1f} s, {load()}")
    page.goto(f"{server.address}/decisions?audit={run.id}")
    page.get_by_text("Another threshold").click()
    slider = page.get_by_role("slider")
    slider.wait_for(timeout=PATIENCE)
    settle(page)
    seconds = []
    for k in range(MOVES):
        seconds.append(press(page, slider, "ArrowRight" if k % 2 else "PageUp", RATES))
        settle(page)
    seconds.sort()
    spread = f"{seconds[0]:.2f} to {seconds[-1]:.2f}"
    print(f"{rows:,} rows: threshold seen after {seconds[MOVES // 2]:.2f} s ({spread}), {load()}")


def load() -> str:
    """How busy the machine is: a time taken beside other work is too long."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.model_slider", description=__doc__)
    parser.add_argument("rows", type=int, nargs="*", default=[100_000, 1_000_000])
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="diffoci-slider-"))
    os.environ.update(DIFFOCI_RUNS=str(folder / "runs"), DIFFOCI_CACHE=str(folder / "cache"))
    server = Server(folder, free_port())
    server.start()
    try:
        with sync_playwright() as playwright:
            path = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = playwright.chromium.launch(executable_path=path, args=list(BROWSER_ARGUMENTS))
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            page.set_default_timeout(PATIENCE)
            page.goto(server.address)  # a first visit loads the program
            settle(page)
            for rows in arguments.rows:
                measure(page, server, rows)
            browser.close()
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

"""``python -m tests.measure.large_audit FOLDER``: how long pages take over a large audit and a long list of audits.

FOLDER keeps the audit (22,000 simulated people of ACS income, 8 methods, 5 seeds, quick preset) for the next time;
200 more audits stand beside it in the list.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import time
import uuid
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.runner import execute
from diffoci.runs.store import Run
from tests.browser.conftest import BROWSER_ARGUMENTS, Server, free_port
from tests.browser.settled import settle
from tests.browser.test_sliders import FIRST, press
from tests.sample_audit import make_sample

OTHERS = 200
PAGES = ("proxies", "train", "compare", "features", "decisions", "report")


def prepare(folder: Path) -> str:
    """Return the id of the large audit, run now if it is not there yet."""
    known = folder / "large.txt"
    if known.exists():
        return known.read_text()
    os.environ["DIFFOCI_RUNS"] = str(folder / "runs")
    spec = make_spec("acs-income", sensitive=["sex"], twin=True, options={"rows": 22_000}, preset="quick", seeds=5)
    run, begun = Run.create(AUDIT, spec), time.monotonic()
    execute(run)
    print(f"the audit itself took {time.monotonic() - begun:.0f} s")
    small = make_sample(folder / "small")
    for _ in range(OTHERS):
        name = uuid.uuid4().hex
        copy = shutil.copytree(small.folder, folder / "runs" / name)
        spec_file = copy / "spec.json"
        spec_file.write_text(json.dumps({**json.loads(spec_file.read_text()), "id": name}))
    known.write_text(run.id)
    return run.id


def seconds_to_open(page: Page, address: str) -> float:
    """Return how long a page takes until it is drawn and at rest."""
    begun = time.monotonic()
    page.goto(address)
    settle(page)
    return time.monotonic() - begun


def seconds_to_change(page: Page, label: str) -> float:
    """Return how long it takes until the next choice of a list is drawn."""
    page.get_by_role("combobox", name=label).first.click()
    begun = time.monotonic()
    page.get_by_role("option").nth(1).click()
    settle(page)
    return time.monotonic() - begun


def main() -> None:
    """Prepare, then print every time."""
    reading = argparse.ArgumentParser(prog="python -m tests.measure.large_audit", description=__doc__)
    reading.add_argument("folder", type=Path)
    folder = reading.parse_args().folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    audit = prepare(folder)
    server = Server(folder, free_port())
    server.start()
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(BROWSER_ARGUMENTS))
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(120_000)
        first = seconds_to_open(page, server.address)
        print(f"load {os.getloadavg()[0]:.1f}; Home, the server's first page: {first:.2f} s")
        print(f"Home again: {seconds_to_open(page, server.address):.2f} s")
        for name in PAGES:
            first, again = (seconds_to_open(page, f"{server.address}/{name}?audit={audit}") for _ in range(2))
            print(f"{name}: first {first:.2f} s, again {again:.2f} s")
            if name == "compare":
                print(f"  another place: {seconds_to_change(page, 'Guessed from'):.2f} s")
            slider = page.get_by_role("slider").first
            if name == "features":
                crosses = f"{FIRST}?.[0].text?.filter(text => text.includes('✕')).length ?? null"
                print(f"  cutoff: {press(page, slider, 'End', crosses):.2f} s")
            if name == "decisions":
                rates = (
                    f"(all => all?.every(one => one.x?.length) ? JSON.stringify(all.map(one => one.x)) : null)({FIRST})"
                )
                times = sorted(press(page, slider, "PageDown", rates) for _ in range(5))
                print(f"  threshold: {times[2]:.2f} s (of five: {times[0]:.2f} to {times[-1]:.2f})")
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()

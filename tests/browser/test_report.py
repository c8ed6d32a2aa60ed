"""A report in a real browser: hostile names run nothing, nothing is fetched, it prints, and the page hands it out."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from diffoci.report.build import build_report
from diffoci.report.embedded import read_embedded
from tests.browser.conftest import Server, Visit, picture
from tests.hostile_audit import FEATURE, hostile_audit
from tests.sample_audit import sample


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a CSV file whose author chose every name with care."""
    run, file = hostile_audit(), tmp_path_factory.mktemp("hostile") / "report.html"
    file.write_text(build_report(run.result(), created=run.created), "utf-8")
    return file


@pytest.fixture(scope="module")
def opened(browser: Browser, report: Path) -> Iterator[tuple[Page, list[str]]]:
    """The report in a window, and what it asked for: dialogs, addresses, errors."""
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    page, heard = context.new_page(), list[str]()
    page.on("dialog", lambda dialog: (heard.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: heard.append(f"error {error}"))
    page.on("console", lambda line: heard.append(line.text) if line.type in ("error", "warning") else None)
    context.on("request", lambda one: heard.append(one.url) if not one.url.startswith(("data:", "blob:")) else None)
    page.goto(report.as_uri())
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    yield page, heard
    context.close()


def test_hostile_names_run_nothing_and_nothing_is_fetched(opened: tuple[Page, list[str]], report: Path) -> None:
    page, heard = opened
    for chart in page.locator(".js-plotly-plot").all():
        chart.hover()  # hover labels are made of names, too
    page.wait_for_timeout(300)
    assert heard == [report.as_uri()]
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main svg[onload], [onerror], [onclick]").count() == 0
    assert page.locator(f"td:has-text('{FEATURE}'), th:has-text('{FEATURE}')").count() > 0
    picture(page, "report")


def test_it_fits_narrow_windows_and_reads_without_scripts(
    opened: tuple[Page, list[str]], browser: Browser, report: Path
) -> None:
    page, _ = opened
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_timeout(500)
    beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert beyond <= 0
    picture(page, "report-narrow")
    context = browser.new_context(java_script_enabled=False)
    silent = context.new_page()
    silent.goto(report.as_uri())
    assert silent.locator("table").first.is_visible()
    assert not silent.locator(".chart").first.is_visible()
    assert "The table below has the numbers." in silent.inner_text("main")
    context.close()


# The part of a page that is printed on, in pixels: A4 is the narrower one, Letter the shorter one.
NARROWEST, SHORTEST = 680, 940


def test_it_prints_and_no_chart_or_table_is_cut(opened: tuple[Page, list[str]], tmp_path: Path) -> None:
    page, _ = opened
    page.set_viewport_size({"width": 1200, "height": 1000})
    for paper in ("A4", "Letter"):
        content = page.pdf(path=tmp_path / f"{paper}.pdf", format=paper)
        assert 4 < len(re.findall(rb"/Type /Page\b", content)) < 40
    page.emulate_media(media="print")
    page.set_viewport_size({"width": NARROWEST, "height": 900})
    boxes = page.evaluate(
        "[...document.querySelectorAll('.chart, table')].map(e => [e.className, e.getBoundingClientRect()])"
        ".map(([name, box]) => [name, box.right, box.height])"
    )
    page.emulate_media(media="screen")
    assert max(right for _, right, _ in boxes) <= NARROWEST + 1
    assert max(height for name, _, height in boxes if "chart" in name) < SHORTEST


def test_the_page_hands_out_a_report_that_carries_its_result(visit: Visit, server: Server, tmp_path: Path) -> None:
    run = sample()
    shutil.copytree(run.folder, server.folder / "runs" / run.id)
    page = visit.open(f"/report?audit={run.id}")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Report (HTML)").click()
    taken.value.save_as(tmp_path / "report.html")
    carried = read_embedded((tmp_path / "report.html").read_text("utf-8"))
    assert carried.intact
    assert carried.result["methods"] == run.result()["methods"]
    picture(page, "report-page")
    assert visit.hosts == {"127.0.0.1"}

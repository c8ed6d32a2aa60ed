"""A report in a real browser: hostile names run nothing, nothing is fetched, it prints, and the page hands it out."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page

from diffoci.audit.words import ALIKE
from diffoci.report.build import build_report
from diffoci.report.verify import read_audit
from tests.browser.conftest import Server, Visit, picture
from tests.hostile_audit import FEATURE, hostile_audit
from tests.plain_result import Content, changed
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

    def dismiss(dialog: Dialog) -> None:
        heard.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.on("pageerror", lambda error: heard.append(f"error {error}"))
    page.on("console", lambda line: heard.append(line.text) if line.type in ("error", "warning") else None)
    context.on("request", lambda one: heard.append(one.url) if not one.url.startswith(("data:", "blob:")) else None)
    page.goto(report.as_uri())
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    yield page, heard
    context.close()


def test_hostile_names_run_nothing_and_nothing_is_fetched(opened: tuple[Page, list[str]], report: Path) -> None:
    page, heard = opened
    page.get_by_role("button", name="Open every part").click()
    page.locator("details .js-plotly-plot .main-svg").last.wait_for()
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


def printed_pages(content: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", content))


# The part of a page that is printed on, in pixels: A4 is the narrower one, Letter the shorter one.
NARROWEST, SHORTEST = 680, 940


def test_it_prints_and_no_chart_or_table_is_cut(opened: tuple[Page, list[str]], tmp_path: Path) -> None:
    page, _ = opened
    page.set_viewport_size({"width": 1200, "height": 1000})
    for paper in ("A4", "Letter"):
        content = page.pdf(path=tmp_path / f"{paper}.pdf", format=paper)
        assert 4 < printed_pages(content) < 40  # with the appendix, which an earlier test opened
    page.emulate_media(media="print")
    page.set_viewport_size({"width": NARROWEST, "height": 900})
    boxes = page.evaluate(
        "[...document.querySelectorAll('.chart, table')].map(e => [e.className, e.getBoundingClientRect()])"
        ".map(([name, box]) => [name, box.right, box.height])"
    )
    page.emulate_media(media="screen")
    assert max(right for _, right, _ in boxes) <= NARROWEST + 1
    assert max(height for name, _, height in boxes if "chart" in name) < SHORTEST


@pytest.fixture(scope="module")
def plain() -> str:
    """A report as the program writes it, of an audit whose repetitions happen to predict the outcome equally well."""
    return build_report(changed(sample().result(), _as_before_in_every_repetition), created=1.7e9)


def _as_before_in_every_repetition(content: Content) -> None:
    for method in content["methods"]:
        values = [0.75] * len(method["seeds"])
        method["changed"] = None
        method["y"]["accuracy"] = {"mean": 0.75, "low": 0.75, "high": 0.75, "values": values}


def looked_at(browser: Browser, folder: Path, text: str) -> Page:
    """A report in a window of its own, checked by itself."""
    file = folder / "report.html"
    file.write_text(text, "utf-8")
    page = browser.new_page(viewport={"width": 1200, "height": 1000})
    page.goto(file.as_uri())
    page.locator("#self-check.right, #self-check.wrong").wait_for()
    return page


def test_a_report_checks_itself_and_prints_on_at_most_twelve_pages(
    browser: Browser, plain: str, tmp_path: Path
) -> None:
    page = looked_at(browser, tmp_path, plain)
    said = page.locator("#self-check").inner_text()
    assert "This file checked itself in this browser" in said
    assert "all follow." in said
    assert page.locator(".wrong").count() == 0
    assert f"75.0 % ({ALIKE})" in page.locator("main").inner_text()
    assert f"accuracy 0.0 points, {ALIKE}" in page.locator("main").inner_text()
    for paper in ("A4", "Letter"):
        assert printed_pages(page.pdf(format=paper)) <= 12
    page.close()


FORGED = {
    "a cell": lambda text: re.sub(r'(data-as="rate"><span>)\d+\.\d %', r"\g<1>99.9 %", text, count=1),
    "a sentence": lambda text: re.sub(r'(data-as="percent">)\d+\.\d %', r"\g<1>99.9 %", text, count=1),
    "a mean": lambda text: re.sub(r'("y":\{"accuracy":\{"mean":0\.)\d', r"\g<1>1", text, count=1),
    "a seed": lambda text: re.sub(r'("values":\[0\.)\d', r"\g<1>1", text, count=1),
    "a count": lambda text: re.sub(
        r'("selected":)(\d+)', lambda found: f"{found[1]}{int(found[2]) + 1}", text, count=1
    ),
}
NAMED = {
    "a cell": "table “Rates of every group”, row “F”, column “Predicted yes”: shows 99.9 % (",
    "a sentence": "the sentence “Sex ",
    "a mean": "the result, methods › standard › y › accuracy › mean: states 0.1",
    "a seed": "the result, methods › ",
    "a count": "the result, methods › standard › decisions",
}


@pytest.mark.parametrize("what", FORGED)
def test_a_report_names_what_was_changed_in_it(browser: Browser, plain: str, tmp_path: Path, what: str) -> None:
    forged = FORGED[what](plain)
    assert forged != plain
    page = looked_at(browser, tmp_path, forged)
    said = page.locator("#self-check").inner_text()
    assert "Do not trust this file" in said
    assert NAMED[what] in said
    if what == "a cell":
        assert page.locator("td.wrong").count() == 1
        assert "and 1 does not follow" in said
    page.close()


def test_the_page_hands_out_a_report_that_carries_its_result(visit: Visit, server: Server, tmp_path: Path) -> None:
    run = sample()
    shutil.copytree(run.folder, server.folder / "runs" / run.id)
    page = visit.open(f"/report?audit={run.id}")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Report (HTML)").click()
    taken.value.save_as(tmp_path / "report.html")
    carried = read_audit((tmp_path / "report.html").read_text("utf-8"))
    assert carried.intact
    assert carried.result.methods == run.result().methods
    picture(page, "report-page")
    assert visit.hosts == {"127.0.0.1"}

"""The whole way of a model audit in a real browser: a CSV with scores and decisions, its roles, criteria, report."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from diffoci.__main__ import main
from diffoci.data import lender
from tests.browser.conftest import Visit, picture
from tests.browser.settled import settle


def test_from_a_csv_with_scores_and_decisions_to_a_report_that_verifies(visit: Visit, tmp_path: Path) -> None:
    loans = lender.applicants(rows=600).rename(columns={"score_a": "score", "repaid": "outcome"})
    loans[["score", "approved", "outcome", "sex", "ability"]].to_csv(tmp_path / "loans.csv", index=False)
    page = visit.open()
    settle(page)
    page.get_by_role("button", name="Audit a model", exact=True).click()
    expect(page.get_by_role("heading", name="Audit a model you have")).to_be_visible()

    page.get_by_role("combobox", name="Table").click()
    page.get_by_role("option", name="Your CSV").click()
    page.locator(".st-key-scores-upload input[type=file]").set_input_files(tmp_path / "loans.csv")
    expect(page.get_by_text("600 people, 1 model, 1 attribute")).to_be_visible()
    expect(page.get_by_text("In the decision 'approved', yes counts as selected")).to_be_visible()
    page.get_by_role("button", name="Audit the model").click()

    page.wait_for_url("**/criteria?audit=*")
    expect(page.get_by_text("The criteria of a score")).to_be_visible(timeout=120_000)
    settle(page)
    picture(page, "model-criteria")
    page.get_by_role("link", name="Next: rates at any threshold").click()
    expect(page.get_by_text("Selected under score: as recorded in approved.")).to_be_visible()
    title = page.get_by_role("heading", level=1)
    recorded = title.inner_text()
    page.get_by_text("Another threshold").click()
    slider = page.get_by_role("slider")
    expect(slider).to_be_visible()
    settle(page)
    for _ in range(3):
        slider.press("PageUp")
    expect(title).not_to_have_text(recorded)
    settle(page)
    picture(page, "model-decisions")

    page.get_by_role("link", name="Next: take the audit away as a report").click()
    button = page.get_by_role("button", name="Report (HTML)")
    expect(button).to_be_visible()
    with page.expect_download() as taken:
        button.click()
    report = tmp_path / "report.html"
    taken.value.save_as(report)
    written = visit.context.new_page()
    written.goto(report.as_uri())
    expect(written.get_by_role("status")).to_contain_text("This file checked itself in this browser")
    forged = tmp_path / "forged.html"
    forged.write_text(report.read_text().replace('"selection_rate":{"value":0.', '"selection_rate":{"value":0.9', 1))
    written.goto(forged.as_uri())
    expect(written.get_by_role("status")).to_contain_text("Do not trust this file")
    assert main(["verify", str(report), "--file", str(tmp_path / "loans.csv")]) == 0
    assert visit.hosts == {"127.0.0.1"}

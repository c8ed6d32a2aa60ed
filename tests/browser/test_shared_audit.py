"""An audit goes out as a zip file and comes in again in a real browser; what a stranger wrote in it never runs."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Dialog, expect

from diffoci.runs.sharing import pack
from tests.browser.conftest import Visit
from tests.browser.settled import settle
from tests.sample_audit import sample
from tests.shared_zip import files_of, hostile


def test_a_strangers_audit_is_opened_read_and_shared_again(visit: Visit, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.zip", tmp_path / "theirs.zip"
    ours.write_bytes(pack(sample()))
    theirs.write_bytes(hostile(ours.read_bytes()))
    opened: list[str] = []
    page = visit.open()

    def dismiss(dialog: Dialog) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    for file in (ours, theirs):
        page.goto(visit.address)
        settle(page)
        page.get_by_text("Open an audit from another machine").click()
        page.locator(".st-key-shared-audit input[type=file]").set_input_files(file)
        page.wait_for_url("**/compare?audit=*")
        page.wait_for_selector(".js-plotly-plot .main-svg")
    identifier = page.url.split("audit=")[1]
    assert identifier == "f" * 32
    for name in ("features", "report", f"two_audits?first={sample().id}&second={identifier}"):
        page.goto(f"{visit.address}/{name}{'' if '?' in name else f'?audit={identifier}'}")
        page.wait_for_selector("[data-testid=stMain] h1")
        settle(page)
        # Under the stranger's names the source has no such attribute: a picture of its rows is refused, nothing else.
        wrong = ["is not a sensitive attribute of Student Performance"] if name == "features" else []
        expect(page.locator("[data-testid=stAlertContentError]")).to_contain_text(wrong)
        if name != "report":
            expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator("h1")).to_contain_text("<img src=x onerror=alert(1)>")
    page.goto(visit.address)
    with page.expect_download() as download:
        page.get_by_role("button", name="Share as zip").first.click()
    assert "manifest.json" in files_of(Path(download.value.path()).read_bytes())
    assert opened == []
    assert visit.hosts == {"127.0.0.1"}

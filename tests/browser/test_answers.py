"""What pages answer, in a real browser: nothing that leaks is passed over, and nothing is said that does not hold."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from diffoci.runs.sharing import open_shared, pack
from tests.browser.conftest import PATIENCE, Server, free_port
from tests.browser.settled import settle
from tests.sample_audit import file_sample, sample, truth_sample

LATER = "e" * 32


@dataclass(frozen=True)
class Place:
    """A server over some finished audits, and the identifier of the one that came as a zip file."""

    address: str
    runs: Path
    opened: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("answers")
    for run in (sample(), truth_sample()):
        shutil.copytree(run.folder, folder / "runs" / run.id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIFFOCI_RUNS", str(folder / "runs"))
        opened = open_shared(BytesIO(pack(file_sample())))
    _a_quarter_later(opened.folder, folder / "runs" / LATER)
    server = Server(folder, free_port())
    server.start()
    yield Place(server.address, folder / "runs", opened.id)
    for spec in (folder / "runs").glob("*/spec.json"):
        (spec.parent / "cancel").touch()
    server.stop()


def _a_quarter_later(audit: Path, folder: Path) -> None:
    """The same audit of other people, of whom women were hired far less often."""
    shutil.copytree(audit, folder)
    for name in ("spec.json", "result.json"):
        content = json.loads((folder / name).read_text()) | {"id": LATER}
        if name == "result.json":
            content["provenance"]["sha256"] = "0" * 64
            content["groups"]["sex"]["f"]["label_rate"] = 0.07
        (folder / name).write_text(json.dumps(content))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    tab = context.new_page()
    tab.set_default_timeout(2 * PATIENCE)
    yield tab
    context.close()


def test_item_1_and_6_columns_that_leak_are_named_alone_and_in_pairs(page: Page, place: Place) -> None:
    page.goto(f"{place.address}/proxies?audit={truth_sample().id}")
    settle(page)
    heading = page.locator("h1")
    expect(heading).to_contain_text("2 of 9 columns reveal group")
    expect(heading).to_contain_text("only together: interaction_a with interaction_b")
    expect(page.get_by_text("revealing and not needed: drop these first (4)")).to_be_visible()
    expect(page.get_by_text("All 4 columns that leak were found; of the 5 that do not, none was")).to_be_visible()


@pytest.mark.parametrize(("threshold", "who"), [("0.0", "Everybody"), ("1.0", "Nobody")])
def test_item_2_where_all_are_treated_alike_there_is_no_verdict(
    page: Page, place: Place, threshold: str, who: str
) -> None:
    page.goto(f"{place.address}/decisions?audit={sample().id}&threshold={threshold}")
    settle(page)
    expect(page.locator("h1")).to_contain_text(who)
    expect(page.locator("h1")).not_to_contain_text("No gap")
    expect(page.get_by_text("of a classifier trained here, not of your own model")).to_be_visible()
    page.get_by_role("link", name="Audit a model you have").click()
    expect(page.locator("h1")).to_have_text("Audit a model you have")


def test_item_3_a_fall_in_outcomes_is_the_heading_and_other_questions_are_not_compared(
    page: Page, place: Place
) -> None:
    page.goto(f"{place.address}/two_audits?first={place.opened}&second={LATER}")
    settle(page)
    expect(page.locator("h1")).to_contain_text("7.0 %")
    expect(page.locator("h1")).not_to_contain_text("No more than noise")
    page.goto(f"{place.address}/two_audits?first={place.opened}&second={truth_sample().id}")
    settle(page)
    expect(page.locator("h1")).to_contain_text("These audits ask different things")


def test_item_4_two_clicks_on_the_example_start_one_audit(page: Page, place: Place) -> None:
    before = set(place.runs.glob("*/spec.json"))
    page.goto(place.address)
    settle(page)
    page.get_by_role("button", name="Run a 30-second audit").dblclick()
    page.wait_for_url("**/train?audit=*")
    expect(page.locator("h1")).to_contain_text("Known truth")
    page.wait_for_timeout(1500)
    assert len(set(place.runs.glob("*/spec.json")) - before) == 1


def test_item_5_a_column_that_decides_the_outcome_is_left_out_by_one_click(
    page: Page, place: Place, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    score = rng.random(300)
    table = {"age": rng.integers(18, 80, 300), "score": score, "sex": rng.choice(["f", "m"], 300)}
    pd.DataFrame({**table, "hired": np.where(score > 0.6, "yes", "no")}).to_csv(tmp_path / "people.csv", index=False)
    page.goto(place.address)
    settle(page)
    page.get_by_role("button", name="Upload a file").click()
    page.locator(".st-key-data-upload input[type=file]").set_input_files(tmp_path / "people.csv")
    page.get_by_role("combobox", name="Sensitive attributes").click()
    page.get_by_role("option", name="sex", exact=True).click()
    page.keyboard.press("Escape")  # a list of several stays open; in one that has closed it would take the choice back
    expect(page.get_by_role("button", name="Remove sex")).to_be_visible()
    settle(page)
    page.get_by_role("combobox", name="Outcome: the column to predict").click()
    page.get_by_role("option", name="hired", exact=True).click()
    expect(page.get_by_text("'score' decides 'hired' by itself")).to_be_visible()
    expect(page.get_by_role("link", name="It is my model's score")).to_be_visible()
    page.get_by_role("button", name="Leave out score").click()
    expect(page.get_by_text("'score' decides 'hired' by itself")).to_have_count(0)


def test_item_7_an_audit_from_a_zip_shows_what_its_result_has_and_asks_for_the_rows(page: Page, place: Place) -> None:
    page.goto(f"{place.address}/decisions?audit={place.opened}")
    settle(page)
    expect(page.get_by_text("Rates by sex")).to_be_visible()
    expect(page.get_by_text("The rows of this audit are not on this machine")).to_be_visible()
    page.goto(f"{place.address}/proxies?audit={place.opened}")
    settle(page)
    expect(page.locator("h1")).to_contain_text("reveal")

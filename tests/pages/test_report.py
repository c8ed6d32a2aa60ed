"""Report: opens in every state, says the summary, offers the files."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diffoci.report.summary import HARMED, NOT_JUDGED
from diffoci.runs.store import Run
from tests.pages.conftest import STATES, Open, assert_nothing_technical, finished, shown

PAGE = "pages/report.py"


@pytest.mark.parametrize("audit", [None, "0" * 32, "../../etc", "<script>"])
def test_opens_without_an_audit(open_at: Open, audit: str | None) -> None:
    app = open_at(PAGE, audit=audit)
    assert_nothing_technical(app)
    assert shown(app)


@pytest.mark.parametrize("state", [state for state in STATES if state != "done"])
def test_an_unfinished_audit_offers_no_file(open_at: Open, audit_in: Callable[[str], Run], state: str) -> None:
    app = open_at(PAGE, audit=audit_in(state).id)
    assert_nothing_technical(app)
    assert not app.get("download_button")


def test_a_finished_audit_is_summed_up_and_offered(open_at: Open) -> None:
    app = open_at(PAGE, audit=finished().id)
    assert_nothing_technical(app)
    text = shown(app)
    assert "sex" in app.title[0].value.lower()
    assert HARMED in text
    assert NOT_JUDGED in text
    assert "SIMULATED DATA" in text
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == ["Report (HTML)", "Tables (CSV)", "Tables (Parquet)", "Card (Markdown)", "Card (HTML)"]

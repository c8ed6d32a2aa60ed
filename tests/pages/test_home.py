"""Home: begins audits and lists those there are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.runs.store import Run, list_runs
from diffoci.ui import queue
from diffoci.ui.findings import headline_of
from tests.pages.conftest import FAILURE, STATES, Open, assert_nothing_technical, finished, shown


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note what would be started instead of starting it."""
    names: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder, **_: names.append(folder.name))
    return names


def test_a_running_audit_shows_how_far_it_is(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    audit_in("running")
    app = open_at("app.py")
    assert_nothing_technical(app)
    (bar,) = app.get("progress")
    assert bar.value == 40  # per cent, as in its progress file
    assert "running" in shown(app)


def test_with_nothing_there_it_says_how_to_begin(open_at: Open) -> None:
    app = open_at()
    assert_nothing_technical(app)
    assert "None yet" in shown(app)
    assert [button.key for button in app.button] == [
        "quick",
        *(f"open-{card}" for card in ("acs", "bank", "student", "csv", "truth")),
    ]


def test_device_in_use_is_named(open_at: Open) -> None:
    assert "Computing on " in shown(open_at())


def test_the_quick_button_starts_a_marked_audit_where_no_file_is_at_hand(open_at: Open, started: list[str]) -> None:
    app = open_at().button(key="quick").click().run()
    assert_nothing_technical(app)
    (run,) = list_runs()
    assert started == [run.id]
    assert (run.spec.data, run.spec.sensitive, run.spec.preset, run.spec.twin) == ("student", ("sex",), "quick", True)
    assert app.query_params["audit"] == run.id
    assert "SIMULATED DATA" in shown(app)


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_listed_in_words(open_at: Open, audit_in: Callable[[str], Run], state: str) -> None:
    run = audit_in(state)
    app = open_at()
    assert_nothing_technical(app)
    assert ("finished" if state == "done" else state) in shown(app)
    if state == "done":
        assert (headline_of(run) or "missing") in shown(app)
    if state == "failed":
        assert FAILURE in shown(app)


def test_a_finding_is_read_from_a_small_file_the_second_time(audit_in: Callable[[str], Run]) -> None:
    run = audit_in("done")
    text = headline_of(run)
    assert text
    assert "sex" in text.lower()
    size = run.result_file.stat()
    run.result_file.write_bytes(b"x" * size.st_size)
    os.utime(run.result_file, ns=(size.st_atime_ns, size.st_mtime_ns))
    assert headline_of(run) == text


@pytest.mark.alone
def test_two_hundred_audits_open_in_under_five_seconds(open_at: Open) -> None:
    spec = finished().spec
    for _ in range(200):
        Run.create(spec)
    open_at()  # imports are paid once, by the server
    begun = time.monotonic()
    app = open_at()
    assert time.monotonic() - begun < 5.0
    assert_nothing_technical(app)
    before = len(app.main.get("page_link"))
    app.button(key="older").click().run()
    assert len(app.main.get("page_link")) == before + 16


def test_a_damaged_audit_does_not_hide_the_others(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    audit_in("done")
    broken = audit_in("failed")
    (broken.folder / "state.json").write_text("{")
    app = open_at()
    assert_nothing_technical(app)
    assert "finished" in shown(app)
    assert "interrupted" in shown(app)


@pytest.mark.parametrize(
    ("card", "title"),
    [("student", "Student Performance"), ("bank", "Bank Marketing"), ("acs", "ACS income"), ("truth", "Known truth")],
)
def test_a_card_opens_its_data(open_at: Open, card: str, title: str) -> None:
    app = open_at().button(key=f"open-{card}").click().run()
    assert_nothing_technical(app)
    assert title.lower() in app.title[0].value.lower()
    assert "SIMULATED DATA" in shown(app)


def test_the_csv_card_asks_for_a_file(open_at: Open) -> None:
    app = open_at().button(key="open-csv").click().run()
    assert_nothing_technical(app)
    assert app.get("file_uploader")


def test_hostile_names_are_shown_letter_by_letter(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    spec = audit_in("waiting").spec
    Run.create(replace(spec, data="csv:folder/<script>*x*.csv", twin=False))
    app: AppTest = open_at()
    assert r"\<script\>\*x\*" in "".join(str(element.value) for element in app.markdown)

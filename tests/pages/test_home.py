"""Home: begins audits and lists those there are."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from diffoci.audit.study import AUDIT
from diffoci.runs import queue
from diffoci.runs.names import give_name, named
from diffoci.runs.store import Run, list_runs
from diffoci.ui.runs.findings import headline_of
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
    assert isinstance(bar, Element)
    assert bar.value == 40  # per cent, as in its progress file
    assert "running" in shown(app)


def test_with_nothing_there_it_says_how_to_begin(open_at: Open) -> None:
    app = open_at()
    assert_nothing_technical(app)
    assert "None yet" in shown(app)
    assert [button.key for button in app.button] == [
        "quick",
        "example-student",
        *(f"open-{card}" for card in ("acs", "bank", "student", "csv", "truth", "scores")),
    ]


def test_device_in_use_is_named(open_at: Open) -> None:
    assert "Computing on " in shown(open_at())


@pytest.mark.parametrize(
    ("button", "data", "attribute", "twin", "repetitions"),
    [("quick", "truth", "group", False, 4), ("example-student", "student", "sex", True, 10)],
)
def test_an_example_starts_a_marked_audit_where_no_file_is_at_hand(
    open_at: Open, started: list[str], button: str, data: str, attribute: str, twin: bool, repetitions: int
) -> None:
    app = open_at().button(key=button).click().run()
    assert_nothing_technical(app)
    (run,) = list_runs()
    assert started == [run.id]
    assert (run.spec.data, run.spec.sensitive, run.spec.preset, run.spec.twin) == (data, (attribute,), "quick", twin)
    assert len(run.spec.seeds) == repetitions
    AUDIT.check_portable(run.spec)  # what it asks of its source can be had
    assert app.query_params["audit"] == run.id
    assert "SIMULATED DATA" in shown(app)


def test_two_clicks_on_the_example_start_one_audit(open_at: Open, started: list[str]) -> None:
    app = open_at().button(key="quick").click().run()
    (run,) = list_runs()
    app.switch_page("app.py").run().button(key="quick").click().run()
    assert_nothing_technical(app)
    assert [one.id for one in list_runs()] == started == [run.id]
    assert app.query_params["audit"] in (run.id, [run.id])
    run.record("done")
    app.switch_page("app.py").run().button(key="quick").click().run()
    assert len(list_runs()) == 2


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
        Run.create(AUDIT, spec)
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
    Run.create(AUDIT, replace(spec, data="csv:folder/<script>*x*.csv", twin=False))
    app: AppTest = open_at()
    assert r"&lt;script&gt;\*x\*" in "".join(str(element.value) for element in app.markdown)


def test_an_audit_is_listed_with_its_name_note_and_what_was_asked(open_at: Open) -> None:
    run = finished()
    spec = replace(run.spec, options={"drop": ["absences", "Walc"]})
    other = Run.create(AUDIT, spec)
    give_name(run, "First *quarter*", note="for the board\n# second line")
    app = open_at()
    assert_nothing_technical(app)
    assert "First *quarter*" in shown(app)
    assert r"First \*quarter\*" in "".join(str(one.value) for one in app.markdown)
    assert "for the board" in shown(app)
    assert "outcome: final grade of 12 or more; sensitive: sex, address" in shown(app)
    assert "left out: absences, Walc" in shown(app)
    assert f"just now by {other.folder.owner()}" in shown(app)


def test_an_audit_is_named_on_the_page(open_at: Open) -> None:
    run = finished()
    app = open_at()
    app.text_input(key=f"name-{run.id}").set_value("Pupils, first look")
    app.text_area(key=f"note-{run.id}").set_value("to be repeated")
    next(one for one in app.button if one.label == "Keep").click().run()
    assert_nothing_technical(app)
    assert (named(run).name, named(run).note) == ("Pupils, first look", "to be repeated")
    assert "Pupils, first look" in shown(app)
    assert "Pupils, first look" in "".join(
        one.value for one in open_at("pages/compare.py", audit=run.id).sidebar.markdown
    )


def has_search(app: AppTest) -> bool:
    return any(one.key == "audits-wanted" for one in app.text_input)


def names_listed(app: AppTest) -> list[str]:
    """Headings of the entries, in their order."""
    return [str(one.value)[2:-2] for one in app.main.markdown if re.fullmatch(r"\*\*[^*]+\*\*", str(one.value))]


def test_more_than_ten_audits_can_be_searched_and_sorted(open_at: Open) -> None:
    spec = finished().spec
    runs = [Run.create(AUDIT, replace(spec, seeds=tuple(range(k + 1)))) for k in range(9)]
    assert not has_search(open_at())
    extra = Run.create(AUDIT, spec)
    give_name(runs[3], "Zebra")
    give_name(extra, "aardvark", note="board meeting")
    app = open_at()
    assert has_search(app)
    app.selectbox(key="audits-order").set_value("by name").run()
    assert names_listed(app)[0] == "aardvark"
    app.text_input(key="audits-wanted").set_value("BOARD aard").run()
    assert names_listed(app) == ["aardvark"]
    app.text_input(key="audits-wanted").set_value("nothing like it").run()
    assert names_listed(app) == []
    assert "No audit has all these words" in shown(app)

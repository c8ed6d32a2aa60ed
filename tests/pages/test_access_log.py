"""What people do on the pages is written down: once for an audit opened, before a file is handed out, and no data."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from diffoci.access_log import check_log, head_file, log_file
from diffoci.runs.files import read_json, write_json
from diffoci.runs.sharing import pack, signer_of
from diffoci.runs.store import Run, list_runs
from diffoci.server.people import owner_of
from diffoci.signing.keys import make_key
from diffoci.signing.texts import unsigned_text
from diffoci.ui import access
from diffoci.ui.runs.signing import UNUSABLE
from diffoci.ui.words import plain_markdown
from tests.pages.conftest import Open, finished, shown
from tests.pages.test_signin import WHOLE, SecretsAt, secrets_at, written  # noqa: F401
from tests.sample_audit import sample

ANN: dict[str, object] = {
    "is_logged_in": True,
    "iss": "https://login.example",
    "sub": "7",
    "name": "Ann",
    "email": "ann@example.org",
    "email_verified": True,
}
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def no_refusal_said_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffoci.access_log.recording._refusals", {})


@pytest.fixture
def lines() -> Lines:
    """The log's lines, which must follow one another."""

    def read() -> list[dict[str, Any]]:
        if not log_file().exists():
            return []
        assert check_log(log_file(), head_file()).problems == ()
        return [json.loads(line) for line in log_file().read_bytes().splitlines()]

    return read


@pytest.fixture
def signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann, on a server with sign-in."""
    monkeypatch.setattr("diffoci.server.people.must_sign_in", lambda: True)
    monkeypatch.setattr("diffoci.server.access.must_sign_in", lambda: True)
    monkeypatch.setattr("diffoci.ui.signin.must_sign_in", lambda: True)

    class User(dict[str, object]):
        is_logged_in = True

    monkeypatch.setattr(st, "user", User(ANN))


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log without sign-in."""
    monkeypatch.setenv("DIFFOCI_ACCESS_LOG", str(log_file()))
    log_file().parent.mkdir(parents=True)


def owned(run: Run, owner: str) -> Run:
    path = run.folder / "spec.json"
    write_json(path, {**read_json(path), "owner": owner}, indent=1)
    return Run.open(run.folder)


def told(line: dict[str, Any]) -> str:
    return " ".join(filter(None, (line["event"], line["what"], line["why"])))


def test_without_sign_in_and_without_being_asked_for_there_is_no_log(open_at: Open, lines: Lines) -> None:
    open_at("pages/compare.py", audit=finished().id)
    assert lines() == []
    assert not log_file().parent.exists()


def test_opening_an_audit_is_written_once_in_a_session_and_names_the_person(
    open_at: Open, lines: Lines, signed_in: None
) -> None:
    run = owned(finished(), owner_of(ANN) or "")
    app = open_at("pages/compare.py", audit=run.id)
    app.run()
    app.switch_page("pages/report.py").run()
    assert [told(line) for line in lines()] == ["opened audit"]
    (line,) = lines()
    assert (line["id"], line["who"], line["name"]) == (run.id, owner_of(ANN), "ann@example.org")
    open_at("pages/compare.py", audit=run.id)  # another session
    assert [told(line) for line in lines()] == ["opened audit"] * 2


def test_somebody_elses_audit_is_refused_and_written_down(open_at: Open, lines: Lines, signed_in: None) -> None:
    run = owned(finished(), "0" * 32)
    app = open_at("pages/compare.py", audit=run.id)
    app.run()
    assert "There is no run" in shown(app)
    assert [told(line) for line in lines()] == ["refused audit not the owner"]
    assert lines()[0]["id"] == run.id


def test_two_audits_side_by_side_are_both_opened(open_at: Open, lines: Lines, asked_for: None) -> None:
    first = finished()
    second = first.folder.with_name("f" * 32)
    shutil.copytree(first.folder, second)
    for folder, identifier in ((first.folder, first.id), (second, "f" * 32)):
        path = folder / "spec.json"
        old = {"id": identifier, "created": 1.7e9}  # or "2 minutes ago" becomes 3 between two looks
        write_json(path, {**read_json(path), **old}, indent=1)
    app = open_at("pages/two_audits.py")
    app.run()
    assert {line["id"] for line in lines()} == {first.id, "f" * 32}
    assert len(lines()) == 2


def test_an_audit_that_starts_is_written_down(
    open_at: Open, lines: Lines, asked_for: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffoci.ui.runs.starting.enqueue", lambda run, who: None)
    app = open_at("app.py")
    app.button(key="quick").click().run()
    app.switch_page("pages/train.py").run()
    (line,) = [line for line in lines() if line["event"] == "started"]
    assert line["id"] in {line["id"] for line in lines()}


def test_where_the_log_cannot_be_written_no_audit_is_shown_or_started(
    open_at: Open, asked_for: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished()
    log_file().mkdir()
    app = open_at("pages/compare.py", audit=run.id)
    assert "must be written down in the access log, and it cannot be written" in shown(app)
    assert "Student" not in shown(app)
    before = len(list_runs())
    monkeypatch.setattr("diffoci.ui.runs.starting.enqueue", lambda run, who: None)
    app = open_at("app.py")
    app.button(key="quick").click().run()
    app.switch_page("pages/train.py").run()
    assert len(list_runs()) == before


def test_a_shared_zip_that_is_opened_or_refused_is_written_down(open_at: Open, lines: Lines, asked_for: None) -> None:
    app = open_at("app.py")
    app.file_uploader(key="shared-audit").set_value(("audit.zip", b"PK, but no zip", "application/zip")).run()
    assert [told(line) for line in lines()] == ["refused zip not readable"]
    app.file_uploader(key="shared-audit").set_value(("audit.zip", pack(sample()), "application/zip")).run()
    assert "opened zip" in [told(line) for line in lines()]


def test_an_upload_that_is_refused_is_written_down_without_its_name_or_content(
    open_at: Open, lines: Lines, asked_for: None
) -> None:
    app = open_at("pages/data.py")
    app.button_group(key="data-source").set_value("csv").run()
    app.file_uploader(key="data-upload").set_value(("secret-people.csv", b"\x00\x01\x02", "text/csv")).run()
    assert [told(line) for line in lines()] == ["refused upload not readable"]
    assert b"secret" not in log_file().read_bytes()


def test_files_are_written_down_before_they_are_handed_out(lines: Lines, asked_for: None) -> None:
    made: list[str] = []

    def make() -> bytes:
        made.append("made")
        assert [told(line) for line in lines()] == ["exported report"]
        return b"content"

    maker = access.noted(make, what="report", id="a" * 32)
    assert lines() == []  # the page only offers it
    assert maker() == b"content"
    log_file().unlink()
    log_file().mkdir()
    with pytest.raises(OSError, match="must be written down"):
        maker()
    assert made == ["made"]


Files = dict[str, Callable[[], bytes]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Files:
    """The makers of the files that a page offers, by the words of their buttons."""
    found: Files = {}
    monkeypatch.setattr(st, "download_button", lambda label, make, **_: found.update({label: make}))
    return found


def test_every_file_taken_from_a_page_is_written_down_with_the_audit_and_the_person(
    open_at: Open, lines: Lines, signed_in: None, offered: Files
) -> None:
    run = owned(finished(), owner_of(ANN) or "")
    open_at("pages/report.py", audit=run.id)
    open_at("app.py")
    before = len(lines())
    for make in offered.values():
        assert make()
    taken = lines()[before:]
    assert [told(line) for line in taken] == [
        "exported report",
        "exported tables",
        "exported tables",
        "exported card",
        "exported card",
        "shared zip",
    ]
    assert {(line["id"], line["name"]) for line in taken} == {(run.id, "ann@example.org")}
    text, result = log_file().read_text(), run.result()
    words = [*result.attributes, *result.features.names, result.label.name, result.provenance.title, "urban", "student"]
    assert [word for word in words if json.dumps(word) in text] == []  # nothing of the data is in the log


def test_a_server_with_a_key_signs_what_people_take_away_and_shows_the_fingerprint(
    open_at: Open, offered: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ann = make_key(tmp_path / "server.key", "Example Ltd")
    monkeypatch.setenv("DIFFOCI_SIGNING_KEY", str(tmp_path / "server.key"))
    app = open_at("pages/report.py", audit=finished().id)
    assert ann.fingerprint in shown(app)
    open_at("app.py")
    for label in ("Report (HTML)", "Card (Markdown)", "Card (HTML)"):
        assert unsigned_text(offered[label]().decode())[1] == ann, label
    assert signer_of(io.BytesIO(offered["Share as zip"]())) == ann


def test_a_key_that_cannot_be_used_closes_the_downloads_and_not_the_page(
    open_at: Open, offered: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DIFFOCI_SIGNING_KEY", str(tmp_path / "none.key"))
    app = open_at("pages/report.py", audit=finished().id)
    assert [error.value for error in app.error] == [plain_markdown(UNUSABLE)]
    assert str(tmp_path) not in shown(app)
    assert "Tables (CSV)" in offered
    for label in ("Report (HTML)", "Card (Markdown)"):
        with pytest.raises(ValueError, match="cannot be used"):
            offered[label]()
    assert offered["Tables (CSV)"]()


def test_before_sign_in_a_visit_is_a_refusal(
    open_at: Open,
    lines: Lines,
    tmp_path: Path,
    secrets_at: SecretsAt,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DIFFOCI_SIGN_IN", "required")
    secrets_at(written(tmp_path, "auth", WHOLE))
    for _ in range(2):
        open_at("pages/compare.py", audit=finished().id)
    assert [told(line) for line in lines()] == ["refused page not signed in"]


def test_what_is_deleted_on_a_page_is_written_down_and_what_is_refused_is_not(
    open_at: Open, audit_in: Callable[[str], Run], lines: Lines, asked_for: None
) -> None:
    run = audit_in("cancelled")
    app = open_at()
    app.button(key=f"delete-{run.id}").click().run()
    with run.lock():
        app.button(key="delete-now").click().run()
    assert "deleted audit" not in [told(line) for line in lines()]
    app.run()  # it does not go on any more
    app.button(key=f"delete-{run.id}").click().run()
    app.button(key="delete-now").click().run()
    (line,) = [line for line in lines() if line["event"] == "deleted"]
    assert (line["what"], line["id"]) == ("audit", run.id)
    assert not run.folder.exists()

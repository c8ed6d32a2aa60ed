"""The server deletes what is too old by itself, when it starts and every day, and nothing that is needed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from pathlib import Path

import pytest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.data.tables.uploads import keep_table
from diffoci.runs.drafts import keep_draft
from diffoci.runs.store import Run
from diffoci.runs.uploads import uploads_folder
from diffoci.server import readiness, tidying
from tests.server.asking import in_a_loop

YEARS = 3 * 365 * 86_400
CONTENT = b"age,sex,hired\n" + b"30,f,yes\n40,m,no\n" * 10


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DIFFOCI_RUNS", "DIFFOCI_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


def one_of_each(folder: Path) -> tuple[Run, list[Path]]:
    """An upload, a draft, an audit of the upload and a published file; all of them very old."""
    upload = keep_table(CONTENT, "people.csv", folder=uploads_folder())
    name = keep_draft({"data": "student"}, owner="")
    spec = make_spec(f"csv:{upload}", sensitive=["sex"], preset="quick", options={"label": "hired"})
    run = Run.create(AUDIT, spec)
    cached = folder / "diffoci_cache" / "student" / "student-mat.csv"
    cached.parent.mkdir(parents=True)
    cached.write_text("rows")
    things = [upload, run.folder.parent / "drafts" / f"{name}.json", run.folder / "spec.json", cached]
    for path in things:
        os.utime(path, (time.time() - YEARS,) * 2)
    return run, things


def test_each_kind_goes_by_its_own_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, (upload, draft, audit, cached) = one_of_each(tmp_path)
    for variable in ("DIFFOCI_UPLOAD_DAYS", "DIFFOCI_DRAFT_DAYS", "DIFFOCI_AUDIT_DAYS", "DIFFOCI_CACHE_DAYS"):
        monkeypatch.setenv(variable, "none")
    for variable, path in (
        ("DIFFOCI_CACHE_DAYS", cached),
        ("DIFFOCI_AUDIT_DAYS", audit),
        ("DIFFOCI_UPLOAD_DAYS", upload),
        ("DIFFOCI_DRAFT_DAYS", draft),
    ):
        tidying.delete_old()
        assert path.is_file()
        monkeypatch.setenv(variable, "1000")
        tidying.delete_old()
        assert not path.parent.exists() or path == draft
        assert not path.exists()


def test_what_a_running_audit_needs_stays_however_old(tmp_path: Path) -> None:
    run, (upload, draft, audit, cached) = one_of_each(tmp_path)
    with run.lock():
        tidying.delete_old()
        assert (upload.is_file(), audit.is_file()) == (True, True)
        assert (draft.exists(), cached.exists()) == (False, False)
    tidying.delete_old()
    assert (upload.exists(), audit.exists()) == (False, False)


def test_one_kind_that_cannot_be_deleted_does_not_keep_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _, things = one_of_each(tmp_path)

    def broken() -> int:
        raise OSError("the disk is gone")

    monkeypatch.setitem(tidying._DELETE, "audits", broken)
    monkeypatch.setenv("DIFFOCI_UPLOAD_DAYS", "soon")
    with caplog.at_level(logging.INFO):
        tidying.delete_old()
    assert [path.exists() for path in things] == [False, False, True, False]
    assert "Old audits could not be deleted" in caplog.text
    assert "DIFFOCI_UPLOAD_DAYS is neither" in caplog.text
    assert "people" not in caplog.text


def test_it_happens_at_the_start_of_the_server_and_every_day(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []
    monkeypatch.setattr(tidying, "delete_old", lambda: looks.append(time.monotonic()))
    assert tidying._EVERY == 86_400
    monkeypatch.setattr(tidying, "_EVERY", 0.05)

    async def a_moment_of_the_server() -> None:
        async with readiness.lifespan(None):
            await asyncio.sleep(0.4)

    in_a_loop(a_moment_of_the_server)
    assert len(looks) >= 3
    seen = len(looks)
    time.sleep(0.15)
    assert len(looks) == seen  # it ended with the server


def test_what_the_server_deletes_as_too_old_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_ACCESS_LOG", str(tmp_path / "log"))
    run, _ = one_of_each(tmp_path)
    for variable in ("DIFFOCI_UPLOAD_DAYS", "DIFFOCI_DRAFT_DAYS", "DIFFOCI_AUDIT_DAYS", "DIFFOCI_CACHE_DAYS"):
        monkeypatch.setenv(variable, "1000")
    tidying.delete_old()
    lines = [json.loads(line) for line in (tmp_path / "log").read_bytes().splitlines()]
    found = [(line["event"], line["what"], line["id"]) for line in lines]
    assert found[0] == ("deleted", "audit", run.id)
    assert {what for _, what, _ in found} == {"audit", "upload", "draft", "cache"}
    assert {line["name"] for line in lines} == {"the server, as too old"}

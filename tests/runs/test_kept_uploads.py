"""Uploaded files belong to whoever brought them, and go with every draft that names them; none that a run needs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.data.tables.uploads import keep_table
from diffoci.runs import queue
from diffoci.runs.drafts import keep_draft, kept_draft
from diffoci.runs.store import Run, list_runs
from diffoci.runs.uploads import (
    Needed,
    Upload,
    forget_old_uploads,
    forget_upload,
    uploads_folder,
    uploads_of,
)

CONTENT = b"age,sex,hired\n" + b"30,f,yes\n40,m,no\n" * 10
ANN, BOB = "a" * 32, "b" * 32
DAY = 86_400


def bring(name: str = "people.csv", *, owner: str = "") -> Path:
    return keep_table(CONTENT, name, folder=uploads_folder(owner))


def audit_of(path: Path) -> Run:
    spec = make_spec(f"csv:{path}", sensitive=["sex"], preset="quick", options={"label": "hired"})
    return Run.create(AUDIT, spec)


def aged(path: Path, days: float) -> None:
    os.utime(path, (time.time() - days * DAY,) * 2)


def test_the_same_file_of_two_people_is_two_files() -> None:
    hers, his = bring(owner=ANN), bring(owner=BOB)
    (upload,) = uploads_of(ANN)
    assert upload.files == (hers,)
    assert len(uploads_of()) == 2  # where nobody signs in, everybody sees all
    forget_upload(upload)
    assert uploads_of(ANN) == ()
    assert his.is_file()
    assert uploads_folder().exists()


def test_a_file_goes_under_all_its_names_with_its_drafts_and_what_was_half_written() -> None:
    first, second = bring("people.csv"), bring("again.csv")
    (first.parent / ".partial-x").mkdir()
    (first.parent / ".partial-x" / "people.csv").write_bytes(CONTENT[:20])
    mine = keep_draft({"data": f"csv:{first}", "options": {"label": "hired"}}, owner=ANN)
    other = keep_draft({"data": "student"}, owner=ANN)
    assert mine
    assert other
    (upload,) = uploads_of()
    assert upload.title == "again.csv or people.csv"
    assert upload.digest == second.parent.name
    forget_upload(upload)
    assert not first.parent.exists()
    assert kept_draft(mine, owner=ANN) is None
    assert kept_draft(other, owner=ANN) is not None


def test_audits_of_a_deleted_file_stay_unless_they_are_meant_too() -> None:
    path = bring()
    run, stranger = audit_of(path), audit_of(uploads_folder() / "another.csv")
    (upload,) = uploads_of()
    assert forget_upload(upload) == (run.folder,)
    assert {one.id for one in list_runs()} == {run.id, stranger.id}
    bring()
    damaged = audit_of(path)
    spec = damaged.folder / "spec.json"
    spec.write_text(spec.read_text().replace('"schema": 1', '"schema": 99'))
    assert set(forget_upload(upload, with_runs=True)) == {run.folder, damaged.folder}
    assert [one.id for one in list_runs()] == [stranger.id]
    assert not damaged.folder.exists()


def test_a_file_that_a_running_audit_needs_is_not_deleted() -> None:
    path = bring()
    run = audit_of(path)
    with run.lock(), pytest.raises(Needed, match=r"^A running or waiting run needs people\.csv; cancel the run"):
        forget_upload(Upload(path.parent), with_runs=True)
    assert path.is_file()
    assert run.folder.is_dir()


def test_files_that_are_too_old_go_but_for_those_that_a_waiting_audit_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "advance", lambda: None)
    old = bring()
    aged(old, 31)
    run = audit_of(old)
    queue.enqueue(run)
    assert forget_old_uploads() == 0
    queue.withdraw(run)
    assert forget_old_uploads() == 1
    assert uploads_of() == ()


def test_a_file_that_is_brought_again_is_young_again() -> None:
    path = bring()
    aged(path, 29)
    bring()
    aged(path.parent, 99)
    assert time.time() - uploads_of()[0].brought < DAY
    assert forget_old_uploads() == 0

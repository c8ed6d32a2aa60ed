"""Audits and uploaded files are deleted from the pages, after a question, by their owners alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.store import Run, list_runs
from diffoci.runs.uploads import uploads_of
from diffoci.ui import signin
from diffoci.ui.forms import uploads
from diffoci.ui.runs import deleting, own_runs
from tests.pages.conftest import Open, assert_nothing_technical, shown
from tests.pages.test_data import PAGE, csv, kept, uploaded

MakeAudit = Callable[[str], Run]


def audit_of(path: Path) -> Run:
    spec = make_spec(f"csv:{path}", sensitive=["gender"], preset="quick", options={"label": "hired"})
    return Run.create(AUDIT, spec)


def pressed(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def test_an_audit_is_deleted_after_a_question(open_at: Open, audit_in: MakeAudit) -> None:
    run, other = audit_in("failed"), audit_in("cancelled")
    app = pressed(open_at(audit=run.id), f"delete-{run.id}")
    assert_nothing_technical(app)
    assert "deleted from this server for good" in shown(app)
    assert run.folder.is_dir()
    pressed(app, "delete-not")
    assert run.folder.is_dir()
    pressed(app, f"delete-{run.id}")
    pressed(app, "delete-now")
    assert_nothing_technical(app)
    assert "The audit was deleted." in shown(app)
    assert [one.id for one in list_runs()] == [other.id]
    assert "audit" not in app.query_params
    assert "The audit was deleted." not in shown(app.run())


def test_an_audit_that_goes_on_has_to_be_cancelled_first(open_at: Open, audit_in: MakeAudit) -> None:
    run = audit_in("running")
    button = open_at().button(key=f"delete-{run.id}")
    assert button.disabled
    assert "cancel it on the Train page first" in button.help


def test_an_audit_that_was_started_while_the_question_stood_is_not_deleted(open_at: Open, audit_in: MakeAudit) -> None:
    run = audit_in("cancelled")
    app = pressed(open_at(), f"delete-{run.id}")
    with run.lock():
        pressed(app, "delete-now")
        assert_nothing_technical(app)
        assert f"The run {run.id} is running; cancel it before you delete it." in shown(app)
    assert run.folder.is_dir()


def test_somebody_elses_audit_cannot_be_deleted(
    open_at: Open, audit_in: MakeAudit, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = audit_in("cancelled")
    app = pressed(open_at(), f"delete-{run.id}")  # asked while it could be seen
    monkeypatch.setattr(own_runs, "owner", lambda: "b" * 32)
    pressed(app, "delete-now")
    assert_nothing_technical(app)
    assert f"There is no run {run.id} on this machine" in shown(app)
    assert run.folder.is_dir()
    assert f"delete-{run.id}" not in [button.key for button in open_at().button]


def test_people_are_told_how_long_things_are_kept(
    open_at: Open, audit_in: MakeAudit, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit_in("cancelled")
    monkeypatch.setenv("DIFFOCI_AUDIT_DAYS", "90")
    home = shown(open_at())
    assert "Audits are deleted 90 days after they were last worked on." in home
    app = open_at(PAGE)
    app.button_group(key="data-source").set_value("csv").run()
    assert "Uploaded files are deleted after 30 days." in shown(app)


def test_an_uploaded_file_is_deleted_and_does_not_come_back(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), csv())
    next(box for box in app.selectbox if str(box.key).startswith("data-label")).set_value("hired").run()
    next(box for box in app.multiselect if str(box.key).startswith("data-sensitive")).set_value(["gender"]).run()
    (upload,) = uploads_of()
    run = audit_of(upload.files[0])
    pressed(app, f"delete-uploads-{upload.digest}")
    assert_nothing_technical(app)
    assert [box.label for box in app.checkbox] == ["Delete 1 audit of it as well"]
    pressed(app, "delete-now")
    assert_nothing_technical(app)
    assert "The file people.csv was deleted." in shown(app)
    assert uploads_of() == ()
    assert kept(app) is None
    assert run.folder.is_dir()
    assert app.run().title[0].value == "Whose data?"
    assert uploads_of() == ()
    app.file_uploader(key="data-upload-1").set_value(("people.csv", csv(), "text/csv")).run()
    assert len(uploads_of()) == 1  # brought again


def test_the_file_of_an_audit_can_be_deleted_with_it(open_at: Open) -> None:
    upload = uploads.keep_upload(csv(), "people.csv")
    run = audit_of(upload.path)
    app = pressed(open_at(), f"delete-{run.id}")
    assert [box.label for box in app.checkbox] == ["Delete the uploaded file people.csv as well"]
    app.checkbox(key="delete-also").check()
    pressed(app, "delete-now")
    assert_nothing_technical(app)
    assert "The audit was deleted. The file people.csv was deleted." in shown(app)
    assert (list_runs(), uploads_of()) == ((), ())


def test_people_see_and_delete_only_the_files_they_brought(open_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (signin, uploads, deleting, own_runs):
        monkeypatch.setattr(module, "owner", lambda: "a" * 32)
    first = uploads.keep_upload(csv(), "hers.csv")
    second = uploads.keep_upload(csv(50), "hers too.csv")
    for module in (signin, uploads, deleting, own_runs):
        monkeypatch.setattr(module, "owner", lambda: "b" * 32)
    his = uploads.keep_upload(csv(), "his.csv")
    app = open_at(PAGE)
    app.button_group(key="data-source").set_value("csv").run()
    assert "his.csv" in shown(app)
    assert "hers" not in shown(app)
    pressed(app, f"delete-{'b' * 32}-{his.digest}")
    pressed(app, "delete-now")
    assert_nothing_technical(app)
    assert not his.path.exists()
    assert [Path(one.path).is_file() for one in (first, second)] == [True, True]


def test_all_uploaded_files_are_deleted_at_once(open_at: Open) -> None:
    for rows in (50, 60):
        uploads.keep_upload(csv(rows), f"{rows}.csv")
    app = open_at(PAGE)
    app.button_group(key="data-source").set_value("csv").run()
    pressed(app, "delete-uploads")
    pressed(app, "delete-now")
    assert_nothing_technical(app)
    assert "2 uploaded files were deleted." in shown(app)
    assert uploads_of() == ()

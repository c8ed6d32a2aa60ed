"""Pages over audits whose files are damaged or whose disk takes no more: a sentence and the way on."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from diffoci.runs.store import Run
from tests.pages.conftest import Open, assert_nothing_technical, finished, shown

PAGES = [f"pages/{name}.py" for name in ("compare", "features", "decisions", "report", "train", "two_audits")]


@pytest.mark.parametrize("page", ["app.py", *PAGES])
@pytest.mark.parametrize("keep", [0, 4000])
def test_half_a_result_is_said_on_every_page(open_at: Open, page: str, keep: int) -> None:
    run = finished()
    run.result_file.write_bytes(run.result_file.read_bytes()[:keep])
    app = open_at(page, audit=run.id)
    assert_nothing_technical(app)
    if page != "pages/two_audits.py":  # which offers only what can be compared
        assert "gone or only half written; its finished parts are kept: resume the audit" in shown(app)
    if page == "pages/train.py":
        assert app.button(key="train-resume")


def test_a_torn_state_can_be_resumed(open_at: Open) -> None:
    run = finished()
    (run.folder / "state.json").write_text('{"schema"')
    app = open_at("pages/train.py", audit=run.id)
    assert_nothing_technical(app)
    assert "This audit was interrupted" in shown(app)
    assert app.button(key="train-resume")


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(errno.ENOSPC, "The disk is full"), (errno.EROFS, "cannot be written to; make it writable")],
)
def test_a_disk_that_takes_no_more_is_a_sentence(
    open_at: Open, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str
) -> None:
    run = finished()
    (run.folder / "state.json").write_text('{"schema"')
    app = open_at("pages/train.py", audit=run.id)
    refuse_writing(monkeypatch, number)
    app.button(key="train-resume").click().run()
    assert_nothing_technical(app)
    assert sentence in app.error[0].value.replace("\\", "")
    assert Run.open(run.folder).result()


def refuse_writing(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refused(self: Path, *_: Any, **__: Any) -> None:
        raise OSError(number, "what the system says", str(self))

    monkeypatch.setattr(Path, "write_text", refused)

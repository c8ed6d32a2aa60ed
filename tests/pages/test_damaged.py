"""Pages over audits whose files are damaged or whose disk takes no more: a sentence and the way on."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diffoci.runs.store import Run
from diffoci.ui.notices import made_or_told
from tests.pages.conftest import FAILURE, Open, assert_nothing_technical, finished, shown

PAGES = [f"pages/{name}.py" for name in ("compare", "features", "decisions", "report", "train", "two_audits")]


@pytest.mark.parametrize("page", ["app.py", *PAGES])
@pytest.mark.parametrize("keep", [0, 4000])
def test_half_a_result_is_said_on_every_page(open_at: Open, page: str, keep: int) -> None:
    run = finished()
    run.result_file.write_bytes(run.result_file.read_bytes()[:keep])
    app = open_at(page, audit=run.id)
    assert_nothing_technical(app)
    if page != "pages/two_audits.py":  # which offers only what can be compared
        assert "gone or only half written; its finished parts are kept: resume it" in shown(app)
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


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("spec.json", lambda content: content["spec"].update(sensitive=["\ud800"])),
        ("spec.json", lambda content: content["spec"].update(sensitive=[1, None])),
        ("spec.json", lambda content: content["spec"].update(options=None)),
        ("result.json", lambda content: content["label"].update(name="\ud800")),
        ("result.json", lambda content: content["spec"]["settings"].update(fractions=[0, 0, 0])),
        ("result.json", lambda content: content.update(methods=7)),
    ],
)
def test_one_damaged_audit_leaves_the_others_on_the_home_page(
    open_at: Open, audit_in: Callable[[str], Run], file: str, change: Callable[[Any], None]
) -> None:
    other, run = audit_in("failed"), finished()
    content = json.loads((run.folder / file).read_text())
    change(content)
    (run.folder / file).write_text(json.dumps(content))
    app = open_at()
    assert_nothing_technical(app)
    assert FAILURE in shown(app)
    assert "open-truth" in [button.key for button in app.button]
    assert app.get("file_uploader")  # the last thing on the page
    assert other.id in str([element.proto for element in app.main.get("page_link")])


@pytest.mark.parametrize("options", [{"state": "all"}, {"state": "WY", "year": 2014}])
def test_a_page_of_an_audit_never_asks_a_publisher_for_data(
    open_at: Open, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("diffoci.data.fetching.files.download", lambda *arguments, **_: asked.append(str(arguments)))
    run = finished()
    for path in (run.folder / "spec.json", run.result_file):
        content = json.loads(path.read_text())
        content["spec"] |= {"data": "acs-income", "twin": False, "options": options}
        path.write_text(json.dumps(content) + "\n")
    for page in ("data", "proxies", "train", "compare", "features", "decisions", "report"):
        app = open_at(f"pages/{page}.py", audit=run.id)
        assert_nothing_technical(app)
        if page in ("proxies", "decisions"):
            assert "These rows are not on this machine yet" in shown(app)
    assert not asked


def refuse_writing(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refused(self: Path, *_: Any, **__: Any) -> None:
        raise OSError(number, "what the system says", str(self))

    monkeypatch.setattr(Path, "write_text", refused)


@pytest.mark.parametrize("state", ["running", "done"])
def test_item_7_a_history_of_brackets_leaves_the_train_page_alive(
    open_at: Open, audit_in: Callable[[str], Run], state: str
) -> None:
    run = audit_in(state)
    for path in (*run.cells.glob("*.history.jsonl"), run.progress_file):
        path.write_text("\n".join(["[" * 200_000, '{"epoch": [], "time": "x", "stage": {}}', path.read_text()]))
    app = open_at("pages/train.py", audit=run.id)
    assert_nothing_technical(app)
    assert len(app.dataframe[0].value)


def test_item_7_a_file_that_cannot_be_made_says_why_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("diffoci.ui.notices.tell", lambda _, sentence: told.append(sentence))

    def make() -> bytes:
        raise ValueError("result.json is damaged at 'label': it is no text that can be shown.")

    with pytest.raises(ValueError, match="damaged"):
        made_or_told(make)()
    assert told == ["result.json is damaged at 'label': it is no text that can be shown."]

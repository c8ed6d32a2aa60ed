"""Two audits on one page, and audits that come and go as zip files."""

from __future__ import annotations

import io
import json
import shutil
import time

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run, list_runs, runs_root
from tests.pages.charts import figure_about
from tests.pages.conftest import ROOT, Open, assert_nothing_technical, finished, shown
from tests.sample_audit import sample, truth_sample
from tests.shared_zip import HOSTILE, hostile

PAGE = "pages/two_audits.py"


@pytest.fixture
def pair() -> tuple[Run, Run]:
    """The sample, and the same of other people."""
    first = finished()
    folder = runs_root() / ("e" * 32)
    shutil.copytree(first.folder, folder)
    for name in ("spec.json", "result.json"):
        content = json.loads((folder / name).read_text()) | {"id": folder.name}
        if name == "result.json":
            content["provenance"] |= {"sha256": "0" * 64, "title": "Another school"}
        (folder / name).write_text(json.dumps(content))
    return first, Run.open(folder)


def opened(**asked: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(PAGE)
    for name, value in asked.items():
        app.query_params[name] = value
    return app.run()


def test_fewer_than_two_audits_say_what_to_do(open_at: Open) -> None:
    assert "There is none yet" in shown(open_at(PAGE))
    finished()
    app = open_at(PAGE)
    assert_nothing_technical(app)
    assert "There is one so far" in shown(app)


def test_beside_the_open_audit_stands_the_newest_that_was_asked_the_same(pair: tuple[Run, Run]) -> None:
    first, second = pair
    other = finished(truth_sample())
    spec = other.folder / "spec.json"
    spec.write_text(json.dumps(json.loads(spec.read_text()) | {"created": time.time() + 60}))
    assert list_runs()[0].id == other.id
    assert [box.value for box in opened(audit=first.id).selectbox] == [first.id, second.id]


def test_the_address_decides_which_and_a_switch_changes_it(pair: tuple[Run, Run]) -> None:
    first, second = pair
    app = opened(first=second.id, second=first.id)
    assert_nothing_technical(app)
    assert [box.value for box in app.selectbox] == [second.id, first.id]
    assert "in Student Performance, mathematics (simulated) and in Another school" in app.title[0].value.replace(
        "\\", ""
    )
    assert "SIMULATED DATA in both audits" in shown(app)
    app.selectbox[0].set_value(first.id).run()
    assert_nothing_technical(app)
    assert app.query_params["first"] in (first.id, [first.id])
    assert app.query_params["second"] in (second.id, [second.id])


def test_the_audit_now_open_comes_first(pair: tuple[Run, Run]) -> None:
    assert opened(audit=pair[1].id).selectbox[0].value == pair[1].id
    assert opened(audit=pair[0].id).selectbox[0].value == pair[0].id


def test_picture_tables_and_differences_are_there(pair: tuple[Run, Run]) -> None:
    app = opened(first=pair[0].id, second=pair[1].id)
    figure = figure_about(app, "From the first audit to the second") if len(app.get("plotly_chart")) == 1 else None
    assert figure is not None or len(app.get("plotly_chart")) == 2
    assert {"First", "Second", "Difference", "More than noise?"} <= set(app.dataframe[0].value.columns)
    assert "Data: Student Performance, mathematics (simulated) → Another school" in shown(app)
    assert "scores were compared" in shown(app)


def test_an_unknown_audit_in_the_address_is_a_sentence(pair: tuple[Run, Run]) -> None:
    for asked in ("0" * 32, "../../etc/passwd", HOSTILE):
        app = opened(first=asked, second=pair[1].id)
        assert_nothing_technical(app)
        assert "not among the finished audits" in shown(app)
        assert "passwd" not in shown(app)


def test_a_shared_audit_is_opened_on_the_home_page(open_at: Open) -> None:
    app = open_at()
    app.file_uploader(key="shared-audit").set_value(("audit.zip", pack(sample()), "application/zip")).run()
    assert_nothing_technical(app)
    assert [run.id for run in list_runs()] == [sample().id]
    assert app.query_params["audit"] in (sample().id, [sample().id])
    assert "Sex can be guessed" in app.title[0].value
    assert len(open_at().get("download_button")) == 1


def test_a_zip_that_is_refused_says_why(open_at: Open) -> None:
    app = open_at()
    app.file_uploader(key="shared-audit").set_value(("audit.zip", b"PK nothing", "application/zip")).run()
    assert_nothing_technical(app)
    assert "not a whole zip file" in app.error[0].value.replace("\\", "")
    assert not list_runs()


@pytest.mark.parametrize("page", ["app.py", "pages/compare.py", "pages/features.py", PAGE])
def test_texts_of_a_stranger_are_shown_letter_by_letter(open_at: Open, page: str) -> None:
    finished()
    run = open_shared(io.BytesIO(hostile(pack(sample()))))
    app = opened(first=sample().id, second=run.id) if page == PAGE else open_at(page, audit=run.id)
    assert_nothing_technical(app)
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.warning, app.info)
    said = "".join(str(element.value) for kind in kinds for element in kind)
    assert "onerror" in said
    assert "<img" not in said.replace("\\<", "")
    assert "<script" not in said.replace("\\<", "")

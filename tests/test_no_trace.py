"""After deletion nothing of an uploaded file is found under the folders of runs, of the cache and of data."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from diffoci.__main__ import main
from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.report.build import build_report
from diffoci.runs import queue
from diffoci.runs.headlines import headline_of
from diffoci.runs.runner import Means, execute
from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run, list_runs
from diffoci.ui.runs.draft import Draft
from tests.traces import traces

MARK, NUMBER = "zürichQ7x", 73133.7137
ROOT = Path(__file__).parents[1]
SETTINGS = {
    "probe": {"max_epochs": 1, "hidden": (4,)},
    "vec": {"max_epochs": 1},
    "null_draws": 100,
    "permutations": 1,
}


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders of runs, of the cache and of data, in which nothing may be left."""
    made = []
    for name in ("DIFFOCI_RUNS", "DIFFOCI_CACHE", "DIFFOCI_DATA"):
        made.append(tmp_path / name.lower())
        made[-1].mkdir()
        monkeypatch.setenv(name, str(made[-1]))
    monkeypatch.setattr(queue, "start", lambda *_, **__: None)  # this process computes what waits
    st.cache_data.clear()
    return made


def marked_csv() -> bytes:
    """A small table with a mark in a column's name, a group, a level and the label, and a number nobody else has."""
    rng = np.random.default_rng(0)
    rows = 60
    group = np.where(rng.random(rows) < 0.5, f"group {MARK}", "other")
    frame = pd.DataFrame(
        {
            f"column {MARK}": rng.normal(size=rows),
            "pay": [NUMBER, *rng.normal(40_000, 900, rows - 1)],
            "town": rng.choice([f"level {MARK}", "b"], rows),
            "sex": group,
            "hired": rng.choice([f"yes {MARK}", "no"], rows),
        }
    )
    return frame.to_csv(index=False).encode()


def brought(content: bytes) -> AppTest:
    """Upload the file on the Data page and name its roles."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/data.py").run()
    app.button_group(key="data-source").set_value("csv").run()
    app.file_uploader(key="data-upload").set_value((f"{MARK}.csv", content, "text/csv")).run()
    next(box for box in app.selectbox if str(box.key).startswith("data-label")).set_value("hired").run()
    next(box for box in app.multiselect if str(box.key).startswith("data-sensitive")).set_value(["sex"]).run()
    assert not app.exception
    return app


def audited(app: AppTest) -> Run:
    """Audit what was chosen, with everything that a run leaves on disk: queue, progress, cells, arrays, weights."""
    chosen = Draft(**app.session_state["draft"])
    spec = make_spec(
        chosen.data,
        sensitive=chosen.sensitive,
        options=dict(chosen.options),
        preset="quick",
        methods=["standard", "leace"],
        seeds=1,
        settings=SETTINGS,
        device="cpu",
    )
    run = Run.create(AUDIT, spec)
    queue.enqueue(run)
    assert execute(run, Means(jobs=1)).state == "done"
    assert headline_of(run)
    return run


def delete_on_the_page(app: AppTest, source: Path) -> None:
    button = next(one for one in app.button if str(one.key).startswith("delete-") and one.label == "Delete")
    button.click().run()
    app.checkbox(key="delete-also").check()
    app.button(key="delete-now").click().run()
    assert not app.exception
    assert any("deleted" in one.value for one in app.success)
    app.run()  # the page lives on and does not bring the file back
    app.switch_page("pages/train.py").run()


def delete_by_command(app: AppTest, source: Path) -> None:
    assert main(["data", "forget", str(source), "--with-audits"]) == 0
    app.run()  # a page that was open meanwhile does not bring the file back either
    assert any("was deleted" in one.value for one in app.error)


@pytest.mark.parametrize("delete", [delete_on_the_page, delete_by_command])
def test_nothing_is_left_of_a_file_that_was_uploaded_audited_shared_and_deleted(
    folders: list[Path], tmp_path: Path, delete: Callable[[AppTest, Path], None]
) -> None:
    source = tmp_path / "mine.csv"
    source.write_bytes(marked_csv())
    app = brought(source.read_bytes())
    run = audited(app)
    assert MARK in build_report(run.result())
    packed = pack(run)
    assert main(["export", run.id, "--method", "standard", "--out", str(tmp_path / "exported")]) in (0, 2)

    kinds = {path.relative_to(folders[0]).parts[0] for path in traces(folders, MARK, NUMBER)}
    assert kinds == {"uploads", "drafts", "remembered", run.id}
    held = {path.name for path in traces([run.folder], MARK, NUMBER)}
    assert {"spec.json", "plan.json", "result.json"} <= held

    delete(app, source)
    assert list_runs() == ()
    assert traces(folders, MARK, NUMBER) == []
    assert source.is_file()

    opened = open_shared(io.BytesIO(packed))  # a copy that left this machine is out of reach, and shows how traces look
    assert traces(folders, MARK, NUMBER) != []
    assert main(["runs", "delete", opened.id]) == 0
    assert traces(folders, MARK, NUMBER) == []

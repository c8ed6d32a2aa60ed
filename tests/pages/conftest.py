"""Pages opened without a browser, over a folder of runs that belongs to the test."""

from __future__ import annotations

import base64
import html
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.plain_text import EMPTY
from diffoci.runs.files import append_lines, write_json
from diffoci.runs.store import Run, runs_root
from diffoci.ui.runs.draft import dataset_of
from tests.sample_audit import sample

ROOT = Path(__file__).parents[2]
STATES = ("running", "done", "failed", "cancelled", "interrupted", "waiting")
FAILURE = "Training broke down in epoch 3 (loss nan); lower the learning rate (lr, now 0.001)."
_CELLS = [
    {"id": "exact", "stage": "features", "method": "exact", "seed": 0, "title": "coefficients of single columns"},
    {"id": "standard.0", "stage": "methods", "method": "standard", "seed": 0},
    {"id": "dF3.0", "stage": "methods", "method": "dF3", "seed": 0},
    {"id": "vec-sex.0", "stage": "features", "method": "vec", "seed": 0, "title": "feature weights given sex"},
]

# Which installed packages bring components: a server looks once, a page opened without one looks each time, and that
# takes longer than most pages do.
_components = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the user's runs, cache and data, and from what earlier tests cached."""
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("DIFFOCI_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DIFFOCI_DATA", raising=False)
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", _components)
    st.cache_data.clear()


Open = Callable[..., AppTest]


@pytest.fixture
def open_at() -> Open:
    """Open a page, with an audit and more in the address or without."""

    def open_page(page: str = "app.py", *, audit: str | None = None, **address: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if page != "app.py":
            app.switch_page(page)
        if audit is not None:
            app.query_params["audit"] = audit
        app.query_params.update(address)
        return app.run()

    return open_page


@pytest.fixture
def audit_in() -> Iterator[Callable[[str], Run]]:
    """Make an audit that stands in a given state; one that runs does so until the test is over."""
    with ExitStack() as held:

        def make(state: str) -> Run:
            if state == "done":
                return finished()
            run = Run.create(
                AUDIT, make_spec("student", sensitive=["sex"], twin=True, preset="quick", methods=["dF3"], seeds=1)
            )
            if state != "waiting":
                _begin(run)
            if state == "running":
                held.enter_context(run.lock())
                run.record("running")
            elif state == "interrupted":
                run.record("running")
            elif state != "waiting":
                run.record(state, FAILURE if state == "failed" else "")  # type: ignore[arg-type]
            return run

        yield make


def finished(run: Run | None = None) -> Run:
    """A finished audit below the test's own folder, by default that of simulated students."""
    run = run or sample()
    folder = runs_root() / run.id
    shutil.copytree(run.folder, folder, dirs_exist_ok=True)
    return Run.open(folder)


def _begin(run: Run) -> None:
    """Write what a run of four parts has on disk while the third trains."""
    sha256 = dataset_of(run.spec).sha256
    write_json(run.plan_file, {"schema": 1, "digest": "", "sha256": sha256, "cells": _CELLS})
    for done in ("exact", "standard.0"):
        write_json(run.cells / f"{done}.json", {})
    history = [{"epoch": epoch, "T": 0.1 * epoch, "validation_T": 0.05 * epoch, "fraction": 0.1} for epoch in (1, 2, 3)]
    append_lines(run.cells / "dF3.0.history.jsonl", [{"state": "running"}, *history])
    append_lines(
        run.cells / "vec-sex.0.history.jsonl",
        [{"state": "running"}, *({"epoch": k, "cutoff": 0.1, "theta": [1.0] * 29} for k in (1, 2))],
    )
    append_lines(
        run.progress_file,
        [
            {"stage": "cells", "time": 1.0, "overall": 0.1, "eta": 50.0, "elapsed": 5.0},
            {"cell": "dF3.0", "method": "dF3", "seed": 0, "state": "running", "time": 2.0, "overall": 0.4, "eta": 42.0},
        ],
    )


def shown(app: AppTest) -> str:
    """Everything a reader can read on the page, as Markdown has it, without its escapes."""
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.error, app.warning, app.info, app.success)
    markdown = "\n".join(str(element.value) for kind in kinds for element in kind)
    return html.unescape(markdown.replace("\\", "").replace(EMPTY, ""))


def assert_nothing_technical(app: AppTest) -> None:
    """No traceback, no exception, no repr of Python."""
    assert not app.exception
    for word in ("Traceback", "Error:", "<class", "object at 0x", "None of", "KeyError", "Something unexpected"):
        assert word not in shown(app)


def numbers(values: Any) -> list[float]:
    """The numbers of a trace, however Plotly wrote them."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return [float(value) for value in values]

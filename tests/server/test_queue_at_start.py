"""Audits that wait when the server starts are started by it, though nobody opens a page."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.queue import waiting
from diffoci.runs.store import Run
from tests.browser.conftest import Server, free_port


@pytest.mark.slow
def test_an_audit_that_waits_starts_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    spec = make_spec("student", sensitive=["sex"], twin=True, preset="quick", methods=["standard"], seeds=1)
    run = Run.create(AUDIT, spec)
    (tmp_path / "runs" / "queue").mkdir()
    (tmp_path / "runs" / "queue" / f"{time.time_ns():020d}-{run.id}").touch()
    assert waiting() == (run.id,)
    server = Server(tmp_path, free_port())
    server.start()
    try:
        deadline = time.monotonic() + 60
        while waiting() or run.status().state == "waiting":
            assert time.monotonic() < deadline, run.status()
            time.sleep(0.2)
        assert run.status().state in ("running", "done")
    finally:
        run.cancel()
        server.stop()

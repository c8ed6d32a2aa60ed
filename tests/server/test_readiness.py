"""The server says whether audits can be written and started; a queue that stands still is noticed."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from diffoci.server import readiness
from tests.server.asking import in_a_loop


@pytest.fixture(autouse=True)
def just_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(readiness, "_last_well", time.monotonic())


def asked() -> tuple[int, dict[str, Any]]:
    answer = in_a_loop(partial(readiness.ready, Request({"type": "http"})))
    return answer.status_code, json.loads(bytes(answer.body))


def test_a_server_that_can_write_and_start_audits_is_ready(tmp_path: Path) -> None:
    assert asked() == (200, {"ready": True, "reasons": []})
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said_without_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "file" / "runs"))
    assert asked() == (503, {"ready": False, "reasons": ["The folder of the audits cannot be written."]})


def test_a_queue_that_stands_still_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "waiting", lambda: ("0" * 32,))
    monkeypatch.setattr(readiness, "advance", lambda: None)
    monkeypatch.setattr(readiness, "_last_well", time.monotonic() - 60)
    readiness._look()
    assert asked() == (503, {"ready": False, "reasons": ["Audits wait, and none of them is started."]})
    monkeypatch.setattr(readiness, "now_running", lambda: ["an audit"] * 99)  # now it waits for good reason
    readiness._look()
    assert asked()[0] == 200

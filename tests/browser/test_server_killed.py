"""The server killed in the middle: what runs goes on, what waits starts after the restart, the numbers are the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from diffoci.audit.make_spec import make_spec
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from tests.browser.conftest import PATIENCE, Server, free_port
from tests.plain_result import found
from tests.runs.conftest import wait_until

_SHORT = {"max_epochs": 3, "patience": 3, "hidden": (16,)}


@pytest.fixture
def lonely_server(tmp_path: Path) -> Iterator[Server]:
    """A server that runs one audit at a time."""
    server = Server(tmp_path, free_port(), {"DIFFOCI_AT_ONCE": "1"})
    server.start()
    yield server
    for folder in (tmp_path / "runs").glob("*/spec.json"):
        (folder.parent / "cancel").touch()
    server.stop()


def small_audit() -> AuditSpec:
    settings = {"probe": _SHORT, "vec": {"max_epochs": 20}, "curve": (), "null_draws": 100}
    return make_spec(
        "student", sensitive=["sex"], twin=True, preset="quick", methods=["standard", "leace"], seeds=2,
        settings=settings, device="cpu",
    )  # fmt: skip


def enqueued(server: Server, place: int) -> Run:
    """An audit in the queue as the server keeps it on disk, so that only the server can start it."""
    run = Run.create(AUDIT, small_audit())
    queue = server.folder / "runs" / "queue"
    queue.mkdir(parents=True, exist_ok=True)
    (queue / f"{place:020d}-{run.id}").write_text("ann")
    return run


@pytest.mark.slow
@pytest.mark.alone  # workers run at low priority: beside other tests they would hardly move
def test_a_killed_server_loses_neither_what_runs_nor_what_waits(
    browser: Browser, lonely_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(lonely_server.folder / "runs"))
    running, waiting = enqueued(lonely_server, 1), enqueued(lonely_server, 2)
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{lonely_server.address}/train?audit={running.id}")
    wait_until(lambda: list(running.cells.glob("*.0.json")), seconds=60)
    assert running.is_running()
    assert lonely_server.process is not None
    lonely_server.process.kill()
    lonely_server.process.wait()
    assert running.is_running(), "a worker is no part of the server"
    assert waiting.status().state == "waiting"
    lonely_server.start()
    wait_until(lambda: running.status().state == "done", seconds=90)  # the page in the browser connects again by itself
    expect(page.get_by_role("link", name="Compare the methods")).to_be_visible(timeout=60_000)
    wait_until(lambda: waiting.status().state == "done", seconds=120)
    undisturbed = Run.create(AUDIT, small_audit(), folder=lonely_server.folder / "undisturbed")
    assert execute(undisturbed, Means(jobs=1)).state == "done"
    assert found(running) == found(waiting) == found(undisturbed)
    page.context.close()

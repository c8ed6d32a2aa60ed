"""A stranger's page around the dashboard: it is not shown in a frame, trusts nobody and says so in every answer."""

from __future__ import annotations

import functools
import json
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PATIENCE, Server, Visit, free_port
from tests.browser.settled import settle
from tests.sample_audit import sample

PATHS = (
    "/",
    "/compare",
    "/compare?audit=none",
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/_stcore/agent/openapi.json",
    "/_stcore/upload_file/none/none",
    "/_stcore/stream",
    "/media/none.csv",
    "/ready",
    "/ready/",
    "/static/none.js",
    "/favicon.png",
    "/oauth2callback",
    "/%2e%2e/etc/passwd",
    "//stranger.example",
)


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def stranger(folder: Path, framed: str) -> Iterator[str]:
    """A page on another port that frames an address."""
    (folder / "index.html").write_text(f"<h1>A stranger</h1><iframe src='{framed}' width=900 height=700></iframe>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("framed"), free_port())
    server.start()
    yield server
    server.stop()


def ask(server: Server, path: str, method: str = "GET") -> tuple[int, Message, bytes]:
    request = urllib.request.Request(server.address + path, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers, refused.read()


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS", "POST", "DELETE"])
def test_item_3_every_answer_carries_the_headers(running: Server, method: str) -> None:
    for path in PATHS:
        _, headers, _ = ask(running, path, method)
        assert headers["X-Frame-Options"] == "DENY", path
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"], path
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin", path


def test_item_3_no_page_elsewhere_is_trusted(running: Server) -> None:
    status, _, body = ask(running, "/_stcore/host-config")
    assert (status, json.loads(body)["allowedOrigins"]) == (200, [])


def test_item_10_metrics_are_closed_and_readiness_is_said(running: Server) -> None:
    assert ask(running, "/_stcore/metrics")[0] == 404
    status, _, body = ask(running, "/ready")
    assert (status, json.loads(body)) == (200, {"ready": True, "reasons": []})


def test_item_3_the_dashboard_is_not_shown_in_a_strangers_frame(
    browser: Browser, running: Server, tmp_path: Path
) -> None:
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    asked: list[str] = []
    page.on("websocket", lambda socket: asked.append(socket.url))
    with stranger(tmp_path, running.address) as address:
        page.goto(address)
        page.wait_for_timeout(3000)
        assert page.frames[1].url.startswith("chrome-error:")
        assert any("frame-ancestors" in line for line in said)
        assert asked == []
        page.goto(running.address)  # it is there for whoever opens it
        expect(page.locator("h1")).to_be_visible(timeout=PATIENCE)
    page.close()


def test_pages_need_nothing_that_the_policy_forbids(visit: Visit, server: Server) -> None:
    run = sample()
    shutil.copytree(run.folder, server.folder / "runs" / run.id)
    said: list[str] = []
    visit.context.on("console", lambda message: said.append(message.text))
    visit.context.on("weberror", lambda problem: said.append(str(problem.error)))
    page = visit.open()
    for name in ("", "data", "proxies", "train", "compare", "features", "decisions", "report", "two_audits", "learn"):
        page.goto(f"{visit.address}/{name}?audit={run.id}")
        settle(page)
    forbidden = [line for line in said if "Content Security Policy" in line or "Permissions" in line]
    assert forbidden == []
    assert visit.hosts == {"127.0.0.1"}

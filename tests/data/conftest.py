"""Real files where they are at hand, a cache of its own for every test, and a web server that misbehaves."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

BESIDE_THE_REPOSITORY = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tests away from the user's cache, folder and mirror."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DIFFOCI_CACHE", str(folder))
    monkeypatch.delenv("DIFFOCI_MIRROR", raising=False)
    return folder


@pytest.fixture(scope="session")
def real_data() -> Path:
    folder = Path(os.environ.get("DIFFOCI_DATA") or BESIDE_THE_REPOSITORY)
    if not folder.is_dir():
        pytest.skip("needs the real files: set DIFFOCI_DATA to their folder")
    return folder.resolve()


@pytest.fixture
def with_real_data(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIFFOCI_DATA", str(real_data))
    return real_data


@pytest.fixture
def without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIFFOCI_DATA", raising=False)


Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Server:
    """A web server on this machine; `answers` maps a path to what happens when it is asked for."""

    address: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def serve(self, path: str, body: bytes, *, after: float = 0.0) -> None:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            time.sleep(after)
            whole(handler, body)

        self.answers[path] = answer


@pytest.fixture
def server(without_data: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append(self.path)
            answer = known.answers.get(self.path)
            if answer is None:
                self.send_error(404)
            else:
                answer(self)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    known = Server(f"http://127.0.0.1:{http.server_port}")
    monkeypatch.setenv("DIFFOCI_MIRROR", known.address)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield known
    http.shutdown()
    http.server_close()
    thread.join()


def whole(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def cut(body: bytes) -> Answer:
    """Promise the whole body and hang up half-way."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2])
        handler.wfile.flush()
        handler.connection.close()

    return answer


def trickle(body: bytes) -> Answer:
    """Send a byte now and then, for ever."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        try:
            for byte in body:
                handler.wfile.write(bytes([byte]))
                handler.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass  # the other side lost patience, as it should

    return answer

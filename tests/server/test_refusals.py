"""What the server refuses before a page is asked is written down: files and uploads of others, and too large ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from diffoci.access_log import log_file
from diffoci.server import doors, uploads
from diffoci.server.doors import Doors
from diffoci.server.uploads import UploadLimits
from tests.server.asking import Answer, asking, in_a_loop

Ask = Callable[..., Answer]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask a server that keeps what it is sent; without cookies, nobody is signed in."""
    monkeypatch.setenv("DIFFOCI_ACCESS_LOG", str(tmp_path / "log"))
    monkeypatch.setattr("diffoci.access_log.recording._refusals", {})
    monkeypatch.setattr(uploads, "_kept", lambda: {"ann": {}})
    monkeypatch.setattr(uploads, "tell", lambda session, sentence: None)
    monkeypatch.setattr(doors, "whose_session", lambda session: session)

    async def answer(request: Request) -> Response:
        return Response(await request.body())

    routes = [Route("/{path:path}", answer, methods=["GET", "PUT"])]
    app = Starlette(routes=routes, middleware=[Middleware(Doors), Middleware(UploadLimits)])

    def run(path: str, **options: object) -> Answer:
        return in_a_loop(partial(asking, app, path, **options))  # type: ignore[arg-type]

    return run


def told() -> list[tuple[str, str, int]]:
    lines = [json.loads(line) for line in log_file().read_bytes().splitlines()]
    assert {line["event"] for line in lines} == {"refused"}
    return [(line["what"], line["why"], line["times"]) for line in lines]


@pytest.mark.parametrize(("person", "why"), [(None, "not signed in"), ("bob", "not the owner")])
def test_files_and_uploads_of_others_are_refused_and_written_down(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, person: str | None, why: str
) -> None:
    monkeypatch.setattr(doors, "who_asks", lambda scope: person)
    monkeypatch.setattr(doors, "may_have", lambda scope, file: False)
    for _ in range(20):
        assert ask("/media/abc.html").status == 403
        assert ask("/_stcore/upload_file/ann/1", method="PUT", body=[b"x"]).status == 403
    assert told() == [("file", why, 1), ("upload", why, 1)]  # not twenty times


@pytest.mark.parametrize("announced", [True, False])
def test_an_upload_that_is_too_large_is_written_down(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, announced: bool
) -> None:
    monkeypatch.setattr(doors, "who_asks", lambda scope: "ann")
    monkeypatch.setenv("DIFFOCI_UPLOAD_MB_PER_SESSION", "1")
    if announced:
        assert ask("/_stcore/upload_file/ann/1", method="PUT", length=2_000_000).status == 413
    else:
        assert ask("/_stcore/upload_file/ann/1", method="PUT", body=[b"x" * 5_000_000]).status == 413
    assert told() == [("upload", "too large", 1)]


def test_the_numbers_of_a_table_are_written_down_with_the_audit_and_not_handed_out_otherwise(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "who_asks", lambda scope: "ann")
    monkeypatch.setattr(doors, "may_have", lambda scope, file: True)
    monkeypatch.setattr(doors, "audit_beside", lambda file: "a" * 32)
    assert ask("/media/abc.csv").status == 200
    (line,) = [json.loads(line) for line in log_file().read_bytes().splitlines()]
    assert (line["event"], line["what"], line["id"]) == ("exported", "tables", "a" * 32)
    log_file().unlink()
    log_file().mkdir()
    answer = ask("/media/abc.csv")
    assert answer.status == 503
    assert b"must be written down in the access log" in answer.body


def test_what_is_not_refused_is_not_written_down(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "who_asks", lambda scope: "ann")
    monkeypatch.setattr(doors, "may_have", lambda scope, file: True)
    assert ask("/media/abc.html").status == 200
    assert ask("/_stcore/upload_file/ann/1", method="PUT", body=[b"x"]).status == 200
    assert ask("/_stcore/metrics").status == 404
    assert not log_file().exists()

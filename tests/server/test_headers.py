"""Headers stand on every answer, also on those that go wrong, and addresses that nobody needs are closed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from streamlit import config

from diffoci.server.doors import Doors
from diffoci.server.headers import Headers
from tests.server.asking import Answer, asking, in_a_loop


def answer(request: Request) -> Response:
    if request.url.path.endswith("broken"):
        raise LookupError("an error of ours")
    return PlainTextResponse("answered", headers={"Cache-Control": "public"})


APP = Starlette(
    routes=[Route("/{path:path}", answer, methods=["GET", "POST"])], middleware=[Middleware(Headers), Middleware(Doors)]
)


async def serve(scope: Scope, receive: Receive, send: Send) -> None:
    with suppress(LookupError):  # the server logs it; the answer has been sent
        await APP(scope, receive, send)


def ask(path: str, method: str = "GET") -> Answer:
    return in_a_loop(partial(asking, serve, path, method=method))


@pytest.fixture
def mounted_below(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    told = config.get_option
    return lambda path: monkeypatch.setattr(
        config, "get_option", lambda name: path if name == "server.baseUrlPath" else told(name)
    )


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/broken", 500), ("/_stcore/metrics", 404)])
def test_every_answer_refuses_frames_and_foreign_scripts(path: str, status: int) -> None:
    found = ask(path)
    assert found.status == status
    assert found.headers["X-Frame-Options"] == "DENY"
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["Referrer-Policy"] == "same-origin"
    assert "camera=()" in found.headers["Permissions-Policy"]
    assert found.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    policy = found.headers["Content-Security-Policy"].split("; ")
    assert {"default-src 'self'", "frame-ancestors 'none'", "object-src 'none'"} <= set(policy)
    (scripts,) = [part for part in policy if part.startswith("script-src")]
    assert "unsafe" not in scripts
    assert "http" not in scripts


def test_files_made_for_somebody_are_kept_by_nobody_on_the_way() -> None:
    assert ask("/media/0123.csv").headers["Cache-Control"] == "no-store"
    assert ask("/static/media/font.woff2").headers["Cache-Control"] == "public"


@pytest.mark.parametrize("below", ["", "audit", "/deep/audit/"])
def test_numbers_about_the_server_and_the_agents_door_are_closed(
    mounted_below: Callable[[str], None], below: str
) -> None:
    mounted_below(below)
    base = f"/{below.strip('/')}".rstrip("/")
    for path in ("metrics", "%6detrics", "agent/interact", "agent/mcp", "agent/openapi.json"):
        assert ask(f"{base}/_stcore/{path}").status == 404, path
        assert ask(f"{base}/_stcore/{path}", "POST").status == 404, path
    assert ask(f"{base}/_stcore/health").status == 200
    assert ask(f"{base}/media/0123.csv").headers["Cache-Control"] == "no-store"


def test_item_10_files_are_given_to_nobody_who_is_signed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("/media/0123.csv").status == 200
    monkeypatch.setattr("diffoci.server.people.must_sign_in", lambda: True)
    assert (ask("/media/0123.csv").status, ask("/static/index.js").status) == (403, 200)

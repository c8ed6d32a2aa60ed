"""Uploads are bounded for one window and for all together, while they arrive and after."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import anyio
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from diffoci.server import uploads
from diffoci.server.uploads import UploadLimits
from tests.server.asking import Answer, asking, in_a_loop

Kept = dict[str, dict[str, UploadedFileRec]]
ONE = b"x" * 1_000_000


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    held: Kept = {}
    monkeypatch.setattr(uploads, "_kept", lambda: held)
    monkeypatch.setenv("DIFFOCI_UPLOAD_MB_PER_SESSION", "10")
    monkeypatch.setenv("DIFFOCI_UPLOAD_MB_TOTAL", "15")
    return held


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    heard: list[tuple[str, str]] = []
    monkeypatch.setattr(uploads, "tell", lambda session, sentence: heard.append((session, sentence)))
    return heard


@pytest.fixture
def app(kept: Kept, told: list[tuple[str, str]]) -> ASGIApp:
    """Keeps what is sent, as Streamlit does, within the limits."""

    async def keep(request: Request) -> Response:
        session, file = request.path_params["session"], request.path_params["file"]
        kept.setdefault(session, {})[file] = UploadedFileRec(file, "name", "type", await request.body())
        return Response(status_code=204)

    route = Route("/_stcore/upload_file/{session}/{file}", keep, methods=["PUT"])
    return Starlette(routes=[route], middleware=[Middleware(UploadLimits)])


Put = Callable[..., Answer]


@pytest.fixture
def put(app: ASGIApp) -> Put:
    """Send so many megabytes, as a browser does or without saying how many."""

    def send(path: str, megabytes: int, *, announced: bool = True) -> Answer:
        length = megabytes * len(ONE) if announced else None
        return in_a_loop(partial(uploading, app, path, megabytes, length))

    return send


async def uploading(app: ASGIApp, path: str, megabytes: int, length: int | None = None) -> Answer:
    return await asking(app, f"/_stcore/upload_file/{path}", method="PUT", body=[ONE] * megabytes, length=length)


@pytest.mark.parametrize("announced", [True, False])
def test_item_4_one_window_is_bounded_and_told_so(
    put: Put, kept: Kept, told: list[tuple[str, str]], announced: bool
) -> None:
    assert put("ann/a", 6, announced=announced).status == 204
    answer = put("ann/b", 8, announced=announced)
    assert answer.status == 413
    assert answer.body.startswith(b"This window has sent as much as the server holds for one (10 MB)")
    assert told == [("ann", answer.body.decode())]
    assert list(kept["ann"]) == ["a"]
    assert put("ann/c", 3, announced=announced).status == 204


def test_item_4_all_windows_together_are_bounded(put: Put, told: list[tuple[str, str]]) -> None:
    assert put("ann/a", 9).status == put("bob/a", 5).status == 204
    answer = put("eve/a", 2)
    assert (answer.status, told) == (413, [("eve", answer.body.decode())])
    assert answer.body.startswith(b"The server holds as many uploaded files as it has room for (15 MB of all")


def test_files_without_content_count_too(put: Put, kept: Kept) -> None:
    kept["ann"] = {str(k): UploadedFileRec(str(k), "n", "t", b"") for k in range(10_000)}
    assert put("ann/another", 0).status == 413


def test_what_is_still_arriving_counts_and_is_forgotten_when_it_ends(app: ASGIApp, kept: Kept) -> None:
    answers: list[int] = []

    async def upload(file: str) -> None:
        answers.append((await uploading(app, f"ann/{file}", 8)).status)

    async def two_at_once() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(upload, "a")
            group.start_soon(upload, "b")

    in_a_loop(two_at_once)
    assert sorted(answers) == [204, 413]
    kept.clear()
    in_a_loop(partial(upload, "c"))
    assert answers[-1] == 204

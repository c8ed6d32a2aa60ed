"""How much the server holds of uploaded files: of one window and of all together, what is still arriving included."""

from __future__ import annotations

import os
from collections import Counter

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import get_instance
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from diffoci.server.access import note
from diffoci.server.addresses import session_uploading
from diffoci.server.asking import claims_of
from diffoci.server.notices import tell

_MEGABYTE = 1_000_000
_OF_A_FILE = 1000  # bytes that a file takes beside its content
_LOOK_AFTER = 4 * _MEGABYTE  # bytes between two looks at how much is held


class UploadLimits:
    """Middleware that refuses a file as soon as it would be too much."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        session = session_uploading(scope) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if session is None:
            await self.app(scope, receive, send)
            return
        announced = Request(scope).headers.get("content-length", "")[:18]
        if problem := self._too_much(session, int(announced) if announced.isdecimal() else 0):
            tell(session, problem)
            await _note_refusal(scope)
            await PlainTextResponse(problem, 413)(scope, receive, send)
            return
        arrived = looked = 0
        refused = False

        async def receive_within_limits() -> Message:
            nonlocal arrived, looked, refused
            message = await receive()
            size = len(message.get("body", b""))
            arrived += size
            self._arriving[session] += size
            if arrived - looked >= _LOOK_AFTER:
                looked = arrived
                if problem := self._too_much(session):
                    refused = True  # written down when this upload counts no more: others arrive meanwhile
                    tell(session, problem)
                    raise HTTPException(413, problem)
            return message

        try:
            await self.app(scope, receive_within_limits, send)
        finally:
            self._arriving[session] -= arrived
            if not self._arriving[session]:
                del self._arriving[session]
            if refused:
                await _note_refusal(scope)

    def _too_much(self, session: str, more: int = 0) -> str | None:
        """Return the sentence that refuses so many more bytes of a session, or None where there is room."""
        held = {one: sum(map(_size, list(files.values()))) for one, files in list(_kept().items())}
        most, most_in_all = limit("DIFFOCI_UPLOAD_MB_PER_SESSION", 1000), limit("DIFFOCI_UPLOAD_MB_TOTAL", 2000)
        if held.get(session, 0) + self._arriving[session] + more > most:
            return (
                f"This window has sent as much as the server holds for one ({most // _MEGABYTE:,} MB): reload the "
                "page, which lets go of the files sent before, and send only this one."
            )
        if sum(held.values()) + self._arriving.total() + more > most_in_all:
            return (
                f"The server holds as many uploaded files as it has room for ({most_in_all // _MEGABYTE:,} MB of all "
                "people together): try again in a few minutes."
            )
        return None


async def _note_refusal(scope: Scope) -> None:
    await run_in_threadpool(note, "refused", claims_of(scope), what="upload", why="too large")


def limit(name: str, otherwise: int) -> int:
    """Return a limit in bytes that an operator may set in megabytes."""
    text = os.environ.get(name, "")
    return (int(text) if text.isdecimal() else otherwise) * _MEGABYTE


def _kept() -> dict[str, dict[str, UploadedFileRec]]:
    return get_instance().uploaded_file_mgr.file_storage  # type: ignore[attr-defined,no-any-return]


def _size(file: UploadedFileRec) -> int:
    return len(file.data) + len(file.name) + _OF_A_FILE

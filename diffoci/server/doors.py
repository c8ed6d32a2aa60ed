"""Doors: addresses that nobody is answered, and those that only the person concerned is."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from diffoci.access_log import Reason, Thing
from diffoci.server.access import note
from diffoci.server.addresses import file_asked, is_closed, is_file, is_table_taken, session_uploading
from diffoci.server.asking import audit_beside, claims_of, may_have, who_asks, whose_session

SIGN_IN = (
    "Sign in first: this server takes files only from people who are signed in and gives them only what is theirs."
)


class Doors:
    """Middleware that turns requests away before anything of theirs is read or kept."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and is_closed(scope):
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        elif scope["type"] == "http" and (what := _refused(scope)):
            why: Reason = "not signed in" if who_asks(scope) is None else "not the owner"
            await run_in_threadpool(note, "refused", claims_of(scope), what=what, why=why)
            await PlainTextResponse(SIGN_IN, 403)(scope, receive, send)
        elif scope["type"] == "http" and (problem := await _why_not_handed_out(scope)):
            await PlainTextResponse(problem, 503)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


async def _why_not_handed_out(scope: Scope) -> str | None:
    """Write down that the numbers of a table are taken away; return why they are not, where that cannot be done."""
    if is_table_taken(scope):  # other files are made when somebody asks, and written down by their makers
        audit = audit_beside(file_asked(scope))
        try:
            await run_in_threadpool(note, "exported", claims_of(scope), what="tables", id=audit)
        except OSError as problem:
            return str(problem)
    return None


def _refused(scope: Scope) -> Thing | None:
    """Return what a request is refused: a file of somebody else's page, or the upload of one."""
    if is_file(scope) and not may_have(scope, file_asked(scope)):
        return "file"
    session = session_uploading(scope)
    return "upload" if session is not None and not _is_theirs(session, who_asks(scope)) else None


def _is_theirs(session: str, person: str | None) -> bool:
    return person is not None and person == whose_session(session)

"""From start to end of the server: waiting audits start, what is too old goes, `/ready` says whether all is well."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
import time
from collections.abc import AsyncIterator
from importlib import import_module

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from diffoci.runs.queue import advance, at_once, waiting
from diffoci.runs.store import now_running, runs_root
from diffoci.server.tidying import keep_tidy

_LOG = logging.getLogger(__name__)
_EVERY = 2.0  # seconds between two looks at the queue
_PATIENCE = 30.0  # seconds after which a queue that does not move is said to stand still
_last_well = 0.0  # when the queue was last seen as it should be


@contextlib.asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Start the audits that wait and delete what is too old for as long as the server runs."""
    global _last_well
    _last_well = time.monotonic()
    besides = (_watch(), keep_tidy(), run_in_threadpool(import_module, "diffoci.ui"))
    tasks = [asyncio.create_task(one) for one in besides]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def ready(request: Request) -> Response:
    """Answer whether audits can be started here, with a sentence for each reason why not."""
    reasons = [] if await run_in_threadpool(_can_write) else ["The folder of the audits cannot be written."]
    if time.monotonic() - _last_well > _PATIENCE:
        reasons.append("Audits wait, and none of them is started.")
    said = {"ready": not reasons, "reasons": reasons}
    return JSONResponse(said, 503 if reasons else 200, {"Cache-Control": "no-store"})


async def _watch() -> None:
    while True:
        await run_in_threadpool(_look)
        await asyncio.sleep(_EVERY)


def _look() -> None:
    global _last_well
    try:
        if waiting():
            advance()
        if not waiting() or len(now_running()) >= at_once():
            _last_well = time.monotonic()
    except Exception:  # a disk that comes back must find the queue still looked after
        _LOG.exception("The queue could not be looked at")


def _can_write() -> bool:
    try:
        runs_root().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=runs_root()) as probe:
            probe.write(b"ready")
            probe.flush()
    except OSError:
        _LOG.exception("The folder of the audits cannot be written")
        return False
    return True

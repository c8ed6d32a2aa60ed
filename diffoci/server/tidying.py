"""What is too old is deleted by the server itself: when it starts, and once a day while it runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from diffoci.access_log import Thing
from diffoci.runs.deletion import (
    GoesOn,
    check_deletable,
    deletable_runs,
    delete_run,
    files_in_use,
    finish_deleting,
    id_in,
)
from diffoci.runs.drafts import forget_old_drafts
from diffoci.runs.remembered import forget_old_roles
from diffoci.runs.retention import AUDITS, CACHES, LIMITS
from diffoci.runs.sharing import remove_left_over
from diffoci.runs.store import runs_root
from diffoci.runs.uploads import forget_old_uploads
from diffoci.server.access import note_too_old

_LOG = logging.getLogger(__name__)
_EVERY = 86_400.0  # seconds between two looks


async def keep_tidy() -> None:
    """Delete what is too old, for as long as the server runs."""
    while True:
        await run_in_threadpool(delete_old)
        await asyncio.sleep(_EVERY)


def delete_old() -> None:
    """Delete what is older than the operator's limits; nothing that an audit needs which goes on or waits."""
    for limit in LIMITS:
        if limit.problem:
            _LOG.warning(limit.problem)
    for things, delete in _DELETE.items():
        try:
            count = delete()
            if count and things in _COUNTED:
                note_too_old(_COUNTED[things], times=count)
        except Exception:  # one folder that cannot be written must not keep the others
            _LOG.exception("Old %s could not be deleted", things)
        else:
            if count:
                _LOG.info("Deleted as too old: %s %s", count, things)


def _old_audits() -> int:
    remove_left_over(runs_root())
    finish_deleting()
    return sum(map(_delete_unless_resumed, deletable_runs(older_than=AUDITS.seconds)))


def _delete_unless_resumed(folder: Path) -> bool:
    try:
        check_deletable(folder)
        note_too_old("audit", id=id_in(folder))
        delete_run(folder)
    except GoesOn:
        return False
    return True


def _old_caches() -> int:
    from diffoci.data.cached_files import forget_old_cached  # takes a moment

    return forget_old_cached(CACHES.is_over, needed=files_in_use)


# Written down together, since they are known by their number only; audits are one by one.
_COUNTED: dict[str, Thing] = {"uploaded files": "upload", "drafts": "draft", "published files": "cache"}
_DELETE: dict[str, Callable[[], int]] = {
    "audits": _old_audits,
    "uploaded files": forget_old_uploads,
    "drafts": forget_old_drafts,
    "published files": _old_caches,
    "roles": forget_old_roles,
}

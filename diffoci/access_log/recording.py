"""Write down in the access log what somebody did, where there is one."""

from __future__ import annotations

import logging
import threading
import time

from diffoci.access_log._chain import append
from diffoci.access_log._places import begin_log, head_file, is_on, log_file
from diffoci.access_log.entry import LONGEST_NAME, Event, Reason, Thing

_LOG = logging.getLogger(__name__)
_SAID_AGAIN_AFTER = 60.0  # seconds: strangers must not fill the disk by being refused
_MOST_REMEMBERED = 1000
_Key = tuple[str, ...]
_refusals: dict[_Key, tuple[float, int]] = {}  # when each was written down last, and how many came since
_guard = threading.Lock()


def record(
    event: Event,
    *,
    what: Thing,
    id: str = "",
    who: str = "",
    name: str = "",
    why: Reason = "",
    times: int = 1,
    begin: bool = False,
) -> None:
    """Add one line to the access log; where there is none, do nothing.

    Call it before the thing is done: what cannot be written down is not done either. A refusal holds all the same, and
    one that repeats is written once a minute, with how many there were.

    Parameters
    ----------
    event : str
        What happened: opened, started, exported, shared, deleted or refused.
    what : str
        With what kind of thing.
    id : str
        Of the audit; for an upload, the digest that its folder is named by.
    who, name : str
        What stands for the person in what belongs to them, and what they are called.
    why : str
        The reason of a refusal.
    times : int
        How many of a thing, where the line stands for several.
    begin : bool
        Whether to begin a log where there is none.

    Raises
    ------
    OSError
        With a sentence, where the log cannot be written.
    """
    if not (begin or is_on()):
        return
    if event == "refused" and not (times := _times_unsaid((what, id, who, name, why))):
        return
    fields = {"event": event, "what": what, "id": id, "who": who, "name": name[:LONGEST_NAME], "why": why}
    try:
        if begin:
            begin_log()
        append(log_file(), head_file(), **fields, times=times)
    except OSError as problem:
        _LOG.error("The access log cannot be written: %s", problem)
        if event != "refused":
            raise OSError(
                "What is done here must be written down in the access log, and it cannot be written, so nothing was "
                "done; whoever runs this program finds the reason in the server's log or with: python -m diffoci log "
                "verify."
            ) from problem


def _times_unsaid(key: _Key) -> int:
    """Count a refusal; return how many there were since the last line about it, or 0 while that one is new."""
    now = time.monotonic()
    with _guard:
        if len(_refusals) >= _MOST_REMEMBERED and key not in _refusals:
            del _refusals[min(_refusals, key=lambda one: _refusals[one][0])]
        said, unsaid = _refusals.get(key, (-_SAID_AGAIN_AFTER, 0))
        due = now - said >= _SAID_AGAIN_AFTER
        _refusals[key] = (now, 0) if due else (said, unsaid + 1)
        return unsaid + 1 if due else 0

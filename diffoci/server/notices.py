"""Sentences for the page that somebody has open, from outside of its script."""

from __future__ import annotations

import threading
from collections import defaultdict

from streamlit import runtime

_waiting: defaultdict[str, list[str]] = defaultdict(list)
_guard = threading.Lock()


def tell(session: str, sentence: str) -> None:
    """Have a sentence shown on the page that a session has open now."""
    found = runtime.get_instance()._session_mgr.get_active_session_info(session) if runtime.exists() else None
    if found is None:
        return
    with _guard:
        _waiting[session].append(sentence)
    found.session.request_rerun(found.session._client_state)  # as Streamlit does where a source file changed


def told(session: str) -> list[str]:
    """Return what waits to be shown to a session, once."""
    with _guard:
        return list(dict.fromkeys(_waiting.pop(session, [])))

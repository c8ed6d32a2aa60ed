"""Who asks: the person of a request and of a session, from what Streamlit signed and keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection
from starlette.types import Scope
from streamlit.runtime import exists, get_instance
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks

from diffoci.runs.run_files import is_id
from diffoci.server.people import owner_of


def who_asks(scope: Scope) -> str | None:
    """Return who sent a request; empty where nobody has to sign in, None for whoever may see nothing."""
    return owner_of(claims_of(scope))


def whose_session(session: str) -> str | None:
    """Return who opened a page; empty where nobody has to sign in, None for whoever may see nothing."""
    found = get_instance()._session_mgr.get_session_info(session)
    return None if found is None else owner_of(found.session._user_info)


def may_have(scope: Scope, file: str) -> bool:
    """Say whether a file is for whoever asks: one that a page shows is for the person whose page it is.

    A file made at the press of a button is on no page; its name is a digest that only its maker was told, and whoever
    may see something here may have it.
    """
    person = who_asks(scope)
    if not person:
        return person is not None
    shown = _sessions_that_show(file)
    return not shown or person in map(whose_session, shown)


def audit_beside(file: str) -> str:
    """Return the id of the audit that is open where a file is shown, or nothing."""
    for session in _sessions_that_show(file):
        found = get_instance()._session_mgr.get_session_info(session)
        asked = parse_qs(found.session._client_state.query_string).get("audit", [""]) if found else [""]
        if is_id(asked[0]):
            return asked[0]
    return ""


def _sessions_that_show(file: str) -> list[str]:
    if not exists():
        return []
    files = get_instance().media_file_mgr
    with files._lock:
        return [session for session, shown in files._files_by_session_and_coord.items() if file in shown.values()]


def claims_of(scope: Scope) -> Mapping[str, Any]:
    """Return what the provider said about whoever sent a request, as Streamlit signed it at sign-in."""
    signed = _get_signed_cookie_with_chunks(HTTPConnection(scope).cookies, USER_COOKIE_NAME)
    try:
        claims = json.loads(signed or b"{}")
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}

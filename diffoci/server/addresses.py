"""Which address of Streamlit's a request asks for, wherever the dashboard is mounted."""

from __future__ import annotations

from os.path import splitext

from starlette.datastructures import Headers
from starlette.types import Scope
from streamlit import config
from streamlit.url_util import make_url_path

_FILES = "/media/"
_UPLOADS = "/_stcore/upload_file/"
_CLOSED = ("/_stcore/metrics", "/_stcore/agent/")  # counts of people and sessions, and a second way to drive the pages


def mounted(path: str) -> str:
    """Return a path below the one that the operator chose (server.baseUrlPath)."""
    return make_url_path(config.get_option("server.baseUrlPath") or "", path)


def is_file(scope: Scope) -> bool:
    """Say whether a request is for a file made for somebody: a download or a picture."""
    return str(scope["path"]).startswith(mounted(_FILES))


def is_table_taken(scope: Scope) -> bool:
    """Say whether somebody takes away the numbers of a table or a picture.

    A page asks for each such file by itself when it is drawn, to see whether it is there; browsers tell that apart.
    """
    mode = Headers(scope=scope).get("sec-fetch-mode", "navigate")
    return is_file(scope) and str(scope["path"]).endswith(".csv") and mode == "navigate"


def is_closed(scope: Scope) -> bool:
    """Say whether a request is for something that nobody is answered."""
    return str(scope["path"]).startswith(tuple(map(mounted, _CLOSED)))


def file_asked(scope: Scope) -> str:
    """Return the name under which a file is kept, read as Streamlit reads it."""
    return splitext(str(scope["path"]).removeprefix(mounted(_FILES)))[0]


def session_uploading(scope: Scope) -> str | None:
    """Return the session for which a request sends or takes back a file."""
    path, uploads = str(scope["path"]), mounted(_UPLOADS)
    sends = path.startswith(uploads) and scope["method"] in ("PUT", "DELETE")
    return path.removeprefix(uploads).partition("/")[0] if sends else None

"""The headers on every answer: nobody may frame a page, and a page runs and fetches nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from diffoci.server.addresses import is_file

_FIXED = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # addresses carry the ids of audits
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Headers:
    """Middleware that adds the headers to every answer, errors included."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.update({**_FIXED, "Content-Security-Policy": policy()})
                if is_file(scope):  # made for one person: neither a proxy nor the browser keeps it
                    headers["Cache-Control"] = "no-store"
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            if not begun:  # what Starlette would say outside of this middleware, without the headers
                await PlainTextResponse("Internal Server Error", 500)(scope, receive, send_with_headers)
            raise


@cache
def policy() -> str:
    """Return the content security policy: Streamlit's own files, its styles, pictures made in the page, no frame."""
    own = " ".join(f"'sha256-{digest}'" for digest in _own_scripts())
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' {own}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-src 'none'",
            "frame-ancestors 'none'",
        )
    )


def _own_scripts() -> list[str]:
    """Return the digests of the scripts that stand in Streamlit's page itself."""
    page = (Path(get_static_dir()) / "index.html").read_text("utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]

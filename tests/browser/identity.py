"""An OpenID Connect provider on this machine: whoever `person` names is signed in without a word."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey
from playwright.sync_api import Page


class Provider(ThreadingHTTPServer):
    """Discovery, authorisation, token and keys, as the standard has them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.key = RSAKey.generate_key(2048, {"kid": "test"})
        self.person = "ann"
        self.nonce = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def secrets(self, app: str) -> str:
        """Return what stands in Streamlit's secrets for an app at this address."""
        return (
            f'[auth]\nredirect_uri = "{app}/oauth2callback"\ncookie_secret = "{"x" * 40}"\nclient_id = "diffoci"\n'
            f'client_secret = "secret"\nserver_metadata_url = "{self.address}/.well-known/openid-configuration"\n'
        )

    def identity(self) -> str:
        now = int(time.time())
        claims = {"iss": self.address, "sub": self.person, "aud": "diffoci", "iat": now, "exp": now + 600}
        claims |= {"nonce": self.nonce, "name": self.person.title(), "email": f"{self.person}@example.org"}
        claims |= {"email_verified": True}
        return jwt.encode({"alg": "RS256", "kid": "test"}, claims, self.key)


@contextmanager
def provider() -> Iterator[Provider]:
    """Run a provider for a while."""
    server = Provider()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def sign_in(page: Page, address: str) -> None:
    """Sign in as whoever the provider has it."""
    page.goto(address)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("text=What do your data reveal?")


class _Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            here = self.server.address
            self._send(
                {
                    "issuer": here,
                    "authorization_endpoint": f"{here}/authorize",
                    "token_endpoint": f"{here}/token",
                    "jwks_uri": f"{here}/keys",
                    "userinfo_endpoint": f"{here}/person",
                    "response_types_supported": ["code"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                }
            )
        elif parts.path == "/authorize":
            self.server.nonce = asked.get("nonce", "")
            back = urlencode({"code": "code", "state": asked["state"]})
            self.send_response(302)
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.end_headers()
        elif parts.path == "/keys":
            self._send({"keys": [self.server.key.as_dict(private=False)]})
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._send({"access_token": "token", "token_type": "Bearer", "id_token": self.server.identity()})

    def _send(self, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

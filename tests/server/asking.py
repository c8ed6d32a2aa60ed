"""Ask an ASGI application without a network."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import unquote

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message

T = TypeVar("T")


@dataclass
class Answer:
    """What came back."""

    status: int = 0
    headers: Headers = field(default_factory=Headers)
    body: bytes = b""


def in_a_loop(work: Callable[[], Awaitable[T]]) -> T:
    """Run something asynchronous in a thread of its own: after browser tests, this one has a running loop already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, work).result()


async def asking(
    app: ASGIApp, path: str, *, method: str = "GET", body: Iterable[bytes] = (), length: int | None = None
) -> Answer:
    """Ask, sending the body piece by piece; others have their turn between two pieces."""
    left, answer = [*body, b""], Answer()

    async def receive() -> Message:
        await anyio.sleep(0)
        piece = left.pop(0) if left else b""
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status, answer.headers = message["status"], Headers(raw=message["headers"])
        answer.body += message.get("body", b"")

    headers = [] if length is None else [(b"content-length", str(length).encode())]
    scope = {"type": "http", "method": method, "path": unquote(path), "headers": headers, "query_string": b""}
    await app(scope, receive, send)
    return answer

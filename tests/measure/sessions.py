"""People who read pages without a browser: sessions of the real server over its websocket, hundreds to a core."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

MOST_SECONDS = 120.0  # for one page


@dataclass
class Read:
    """What people saw."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    sessions: int = 0


async def person(address: str, pages: Sequence[str], query: str, seen: Read, *, until: float, number: int) -> None:
    """Open a window, read page after page, now and then close it and open another, until the time is over."""
    chance = random.Random(number)
    await asyncio.sleep(chance.uniform(0, 20))
    while time.monotonic() < until:
        seen.sessions += 1
        async with connect(f"{address.replace('http', 'ws')}/_stcore/stream", subprotocols=[Subprotocol("streamlit")],
                           origin=Origin(address), max_size=None) as window:  # fmt: skip
            while time.monotonic() < until:
                page = chance.choice(pages)
                try:
                    seen.seconds.append(await _read(window, page, query))
                except (TimeoutError, ValueError) as problem:
                    seen.errors.append(f"{page or 'home'}: {problem or 'no answer'}")
                await asyncio.sleep(chance.uniform(5, 25))
                if chance.random() < 0.1:
                    break


async def _read(window: ClientConnection, page: str, query: str) -> float:
    """Go to a page; return after how many seconds its script was through."""
    begun = time.monotonic()
    asked = BackMsg()
    asked.rerun_script.query_string = query
    asked.rerun_script.page_name = page
    await window.send(asked.SerializeToString())
    async with asyncio.timeout(MOST_SECONDS):
        while True:
            message = ForwardMsg.FromString(await window.recv(decode=False))
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
                raise ValueError(message.delta.new_element.exception.message)
            if kind == "page_not_found":
                raise ValueError("there is no such page")
            if kind == "script_finished" and message.script_finished in (0, 2):  # not one left for another
                return time.monotonic() - begun

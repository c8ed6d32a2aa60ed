"""Download one file over HTTP so that it arrives whole or not at all."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import urllib3

Progress = Callable[[int, int | None], None]


class DownloadFailed(Exception):
    """Why a download did not succeed, in words for the user."""

    def __init__(self, reason: str, *, worth_retrying: bool) -> None:
        super().__init__(reason)
        self.worth_retrying = worth_retrying


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server.

    `timeout` bounds a silence; `slowest` (bytes a second over `window` seconds) bounds a trickle,
    which never runs into a time-out because every read brings something.
    """

    timeout: float = 30.0
    attempts: int = 3
    pause: float = 1.0
    slowest: float = 1024.0
    window: float = 30.0


def download(address: str, target: Path, *, patience: Patience | None = None, progress: Progress | None = None) -> None:
    """Write what `address` serves to `target`, trying again where that can help.

    Raises
    ------
    DownloadFailed
        With the reason of the last attempt.
    """
    patience = patience or Patience()
    for attempt in range(1, patience.attempts + 1):
        try:
            return _download_once(address, target, patience, progress)
        except DownloadFailed as failure:
            if attempt == patience.attempts or not failure.worth_retrying:
                raise
        time.sleep(patience.pause * attempt)
    return None


def _download_once(address: str, target: Path, patience: Patience, progress: Progress | None) -> None:
    import requests  # a tenth of a second that most starts of the program need not spend
    import urllib3

    try:
        with requests.get(
            address, stream=True, timeout=patience.timeout, headers={"Accept-Encoding": "identity"}
        ) as response:
            if response.status_code != 200:
                raise DownloadFailed(
                    f"the server answered {response.status_code} {response.reason}",
                    worth_retrying=response.status_code >= 500 or response.status_code == 429,
                )
            length = response.headers.get("Content-Length")
            _copy(response.raw, target, int(length) if length else None, patience, progress)
    except (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError) as problem:
        raise DownloadFailed(
            f"the server was silent for {patience.timeout:g} seconds", worth_retrying=True
        ) from problem
    except (requests.ConnectionError, urllib3.exceptions.HTTPError, ConnectionError) as problem:
        raise DownloadFailed("the connection failed", worth_retrying=True) from problem
    except (requests.RequestException, ValueError) as problem:
        raise DownloadFailed("the address could not be used", worth_retrying=False) from problem


def _copy(
    body: urllib3.HTTPResponse,
    target: Path,
    length: int | None,
    patience: Patience,
    progress: Progress | None,
) -> None:
    from urllib3.exceptions import ProtocolError

    arrived = 0
    marks = deque([(time.monotonic(), 0)])
    with target.open("wb") as file:
        while True:
            try:
                # read1 hands over what is there, so that a trickle is seen while it trickles.
                chunk = body.read1(1 << 16)
            except ProtocolError as problem:
                raise _cut(arrived, length) from problem
            if not chunk:
                break
            file.write(chunk)
            arrived += len(chunk)
            if progress is not None:
                progress(arrived, length)
            _refuse_trickle(marks, arrived, patience)
    if length is not None and arrived != length:
        raise _cut(arrived, length)


def _cut(arrived: int, length: int | None) -> DownloadFailed:
    of = f" of {length:,}" if length is not None else ""
    return DownloadFailed(f"the connection was cut after {arrived:,}{of} bytes", worth_retrying=True)


def _refuse_trickle(marks: deque[tuple[float, int]], arrived: int, patience: Patience) -> None:
    now = time.monotonic()
    while len(marks) > 1 and now - marks[1][0] >= patience.window:
        marks.popleft()
    start, before = marks[0]
    elapsed = now - start
    if elapsed >= patience.window and arrived - before < patience.slowest * elapsed:
        raise DownloadFailed(f"the server sent fewer than {patience.slowest:,.0f} bytes a second", worth_retrying=False)
    if now - marks[-1][0] >= patience.window / 10:
        marks.append((now, arrived))

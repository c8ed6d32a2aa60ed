"""What commands print: names that strangers chose cannot steer the terminal."""

from __future__ import annotations

import io
import re
from typing import TextIO

# Control characters but for tabs and line ends, halves of characters, and signs that turn the direction of writing.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    r"""A text whose every sign is only shown.

    >>> harmless("a\x1b[2Jb\n")
    'a�[2Jb\n'
    """
    return _STEERING.sub("\ufffd", text)


class Harmless(io.TextIOBase):
    """A stream that writes on another, without what would steer a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(harmless(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

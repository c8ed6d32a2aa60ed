"""One line of the access log: these entries only, most from a fixed list, so that no row's data can be there."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Event = Literal["opened", "started", "exported", "shared", "deleted", "refused"]
Thing = Literal[
    "audit", "report", "card", "tables", "representation", "zip", "upload", "draft", "cache", "file", "page"
]
Reason = Literal["", "not signed in", "not named", "not the owner", "too large", "not readable"]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
_Identifier = Annotated[str, Meta(pattern=r"^([0-9a-f]{8,64})?$")]  # of an audit, or the digest that names an upload
LONGEST_NAME = 200
FIRST: Digest = "0" * 64  # what the first line has in place of the digest of the one before


class Entry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A line: `n` counts from 1, `previous` is the SHA-256 of the line before, `times` how often it happened.

    `who` stands for the person in what belongs to them; `name` is what the provider of identities calls them.
    """

    n: Annotated[int, Meta(ge=1)]
    time: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
    event: Event
    what: Thing
    id: _Identifier = ""
    who: _Identifier = ""
    name: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    why: Reason = ""
    times: Annotated[int, Meta(ge=1)] = 1
    previous: Digest

    def line(self) -> bytes:
        """As it stands in the file, without the end of the line."""
        return json.dumps(msgspec.to_builtins(self), ensure_ascii=True).encode()


def read_entry(line: bytes) -> Entry | None:
    """Return the entry of a line, or None where it is no line of the log."""
    try:
        return msgspec.json.decode(line, type=Entry)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def digest(line: bytes) -> Digest:
    """Return the digest by which the next line knows a line."""
    return hashlib.sha256(line).hexdigest()

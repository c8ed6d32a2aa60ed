"""Addresses in texts that strangers wrote: shown, and no links."""

from __future__ import annotations

import re

# Addresses become links however they are escaped, unless something invisible stands in them.
_ADDRESS = re.compile(
    r"(?<=https:)(?=//)|(?<=http:)(?=//)|(?<=ftp:)(?=//)|(?<=mailto:)|(?<=xmpp:)|(?<=www)(?=\.)|(?<=[\w.+-]@)(?=[\w-]+\.)",
    re.IGNORECASE,
)
_WORD_JOINER = "\u2060"


def unlinked(text: str) -> str:
    r"""A text of which Markdown makes no link.

    >>> unlinked("see www.stranger.example")
    'see www\u2060.stranger.example'
    """
    return _ADDRESS.sub(_WORD_JOINER, text)

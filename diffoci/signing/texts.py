"""Signed texts, HTML or Markdown: the signature stands in a comment at the very end and covers all before it."""

from __future__ import annotations

import hashlib

from diffoci.signing.keys import PrivateKey, PublicKey
from diffoci.signing.signature import MARK, signature_line, signer_in

_BEGIN, _END = "<!-- ", " -->\n"


def signed_text(text: str, key: PrivateKey | None) -> str:
    """Return a text with the signature of everything in it; without a key, the text as it is."""
    return text if key is None else f"{text}{_BEGIN}{signature_line(key, _digest(text))}{_END}"


def unsigned_text(text: str) -> tuple[str, PublicKey | None]:
    """Return a text without its signature, and who signed it; a signature that is none of it is a sentence."""
    before, mark, after = text.rpartition(_BEGIN + MARK)
    if not mark:
        return text, None
    if not after.endswith(_END):
        raise ValueError("Something was added to this file after it was signed.")
    return before, signer_in(MARK + after.removesuffix(_END), _digest(before))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

"""Signed zip files: the signature is the comment at the very end and covers every byte before it."""

from __future__ import annotations

import hashlib
import os
from typing import IO

from diffoci.runs.sharing._unpacking import END, Refused
from diffoci.signing.keys import PrivateKey, PublicKey
from diffoci.signing.signature import LONGEST, MARK, signature_line, signer_in

_CHUNK = 1 << 20
_LENGTH = 2  # bytes at the end of the directory's end, which say how long the comment is


def signed_zip(content: bytes, key: PrivateKey | None) -> bytes:
    """Return a zip file with the signature of everything in it; without a key, the file as it is."""
    if key is None:
        return content
    comment = signature_line(key, hashlib.sha256(content).hexdigest()).encode()
    return content[:-_LENGTH] + len(comment).to_bytes(_LENGTH, "little") + comment


def signature_in(file: IO[bytes]) -> bytes:
    """Return the comment of a zip file that is meant as a signature, or nothing."""
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - LONGEST))
    tail = file.read()
    place = tail.rfind(MARK.encode())
    if place < END.size or start + place < END.size:
        return b""
    comment = tail[place:]
    length = int.from_bytes(tail[place - _LENGTH : place], "little")
    return comment if length == len(comment) else b""


def signer_of(file: IO[bytes]) -> PublicKey | None:
    """Return who signed a zip file; a signature that is none of it is refused."""
    comment = signature_in(file)
    if not comment:
        return None
    try:
        return signer_in(comment.decode("ascii", "replace"), _digest(file, len(comment)))
    except ValueError as problem:
        raise Refused(str(problem)) from None


def _digest(file: IO[bytes], comment: int) -> str:
    """Of the file as it was before the comment was added."""
    left = file.seek(0, os.SEEK_END) - comment - _LENGTH
    digest = hashlib.sha256()
    file.seek(0)
    while left > 0 and (chunk := file.read(min(_CHUNK, left))):
        digest.update(chunk)
        left -= len(chunk)
    digest.update(bytes(_LENGTH))
    return digest.hexdigest()

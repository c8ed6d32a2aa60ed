"""A signature: who vouches for which content, as one line of text that is checked letter by letter."""

from __future__ import annotations

import base64
import json

import msgspec

from diffoci.signing.keys import PrivateKey, PublicKey, check_name

MARK = "diffoci signature 1: "  # the number is that of the form below
LONGEST = 4000  # letters, the mark included
_PURPOSE = b"diffoci signature 1\n"  # a signature of anything else is none of a file
# JSON that can stand in a comment of HTML: nothing in it ends one.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&-"}


class _Block(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    public: str
    sha256: str
    signature: str = ""


def signature_line(key: PrivateKey, sha256: str) -> str:
    """Return the signature of the content that has this digest."""
    public = key.public
    block = _Block(name=public.name, public=_text(public.raw), sha256=sha256)
    return MARK + _json(msgspec.structs.replace(block, signature=_text(key.sign(_message(block)))))


def signer_in(line: str, sha256: str) -> PublicKey:
    """Return who signed the content that has this digest, or say in a sentence why nobody did."""
    block = _read(line)
    try:
        public = PublicKey(block.name, base64.b64decode(block.public, validate=True))
        signature = base64.b64decode(block.signature, validate=True)
        check_name(block.name)
    except ValueError:
        raise _damaged() from None
    written = msgspec.structs.replace(block, public=_text(public.raw), signature=_text(signature))
    if line != MARK + _json(written):  # the same values in other letters are a change as well
        raise _damaged()
    if not public.made(signature, _message(block)):
        raise ValueError("The signature in this file is false: it was not made with the key it names.")
    if block.sha256 != sha256:
        raise ValueError(
            f"This file is not what {public} signed: it was changed since, or the signature is that of another file."
        )
    return public


def check_signer(signer: PublicKey | None, demanded: PublicKey) -> None:
    """Refuse a file that was not signed with the key demanded."""
    if signer is None:
        raise ValueError(f"This file is not signed, and the signature of {demanded} is demanded.")
    if signer.raw != demanded.raw:
        raise ValueError(f"This file is signed by {signer}, and the signature of {demanded} is demanded.")


def _read(line: str) -> _Block:
    try:
        return msgspec.json.decode(line.removeprefix(MARK).encode(), type=_Block)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise _damaged() from None


def _message(block: _Block) -> bytes:
    return _PURPOSE + _json(msgspec.structs.replace(block, signature="")).encode()


def _json(block: _Block) -> str:
    return json.dumps(msgspec.to_builtins(block), ensure_ascii=True, separators=(",", ":")).translate(_ESCAPES)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _damaged() -> ValueError:
    return ValueError("The signature in this file is damaged, so nothing says who signed it.")

"""A passphrase for a private key: stretched before it encrypts the key, read from a file or asked of a person."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

SHORTEST = 12  # letters
FILE = "DIFFOCI_SIGNING_PASSPHRASE_FILE"
Ask = Callable[[], str]
_LARGEST = 1000  # bytes
_SALT = b"Salt: "
_SALT_BYTES = 16


def new_salt() -> bytes:
    """Return the line that a protected key begins with."""
    return _SALT + secrets.token_hex(_SALT_BYTES).encode() + b"\n"


def password(passphrase: str, line: bytes) -> bytes | None:
    """Return what the key is encrypted with, or None where the line has no salt.

    PKCS #8 itself hashes a password 2,048 times, which a guesser does not feel; this takes 32 MB and a tenth of a
    second for each guess.
    """
    try:
        salt = bytes.fromhex(line.removeprefix(_SALT).decode())
    except ValueError:
        return None
    return Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(passphrase.encode()).hex().encode()


def check_passphrase(passphrase: str) -> str:
    """Return a passphrase for a new key, or refuse one that is guessed too easily."""
    if len(passphrase) < SHORTEST:
        raise ValueError(f"A passphrase has at least {SHORTEST} letters; a few words are easily kept in mind.")
    return passphrase


def passphrase_in_file() -> str | None:
    """Return the first line of the file that an operator named for it, or None where none is named."""
    named = os.environ.get(FILE)
    if not named:
        return None
    path = Path(named).expanduser()
    if not path.is_file():
        raise ValueError(f"There is no file {path}, which {FILE} names for the passphrase of the signing key.")
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ValueError(f"Others can read the passphrase in {path}: make it yours alone (chmod 600).")
    with path.open("rb") as file:
        content = file.read(_LARGEST)
    try:
        return content.decode().splitlines()[0]
    except (ValueError, IndexError):
        raise ValueError(f"The first line of {path} is no passphrase: it is empty, or not text.") from None

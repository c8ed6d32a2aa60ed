"""Keys to sign with (Ed25519): made once, kept in a file that only its owner can read, known by a fingerprint."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from diffoci.signing.passphrase import FILE, Ask, check_passphrase, new_salt, passphrase_in_file, password

LONGEST_NAME = 100
_NAME = "Name: "
_FINGERPRINT_DIGITS = 32  # 128 bits: nobody finds a second key that has them
_LARGEST = 10_000  # bytes; a key file has a tenth of it
_ENCRYPTED = b"BEGIN ENCRYPTED PRIVATE KEY"
_RAW = serialization.Encoding.Raw


@dataclass(frozen=True)
class PublicKey:
    """What a signature is checked with; `name` is what its owner calls themselves."""

    name: str
    raw: bytes

    @property
    def fingerprint(self) -> str:
        """What people compare to know a key again: 32 digits in groups of four."""
        digits = hashlib.sha256(self.raw).hexdigest()[:_FINGERPRINT_DIGITS]
        return " ".join(digits[k : k + 4] for k in range(0, len(digits), 4))

    def made(self, signature: bytes, message: bytes) -> bool:
        """Say whether a signature of a message was made with the private half."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    def __str__(self) -> str:
        return f"“{self.name}”, key {self.fingerprint}"


@dataclass(frozen=True, repr=False)
class PrivateKey:
    """What a signature is made with."""

    name: str
    _key: Ed25519PrivateKey

    @property
    def public(self) -> PublicKey:
        """Its public half."""
        return PublicKey(self.name, self._key.public_key().public_bytes(_RAW, serialization.PublicFormat.Raw))

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message."""
        return self._key.sign(message)


def make_key(path: Path, name: str, *, passphrase: Ask | None = None) -> PublicKey:
    """Make a key: the private half in `path`, for its owner's eyes only, the public one beside it, ending in .pub.

    With a passphrase the private half is encrypted, and signing asks for it.
    """
    check_name(name)
    public = public_file(path)
    for file in (path, public):
        if file.exists() or file.is_symlink():
            raise ValueError(f"{file} is there already; nothing was written, choose another name with --out.")
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {path.parent}; make it first, or choose another with --out.")
    words = None if passphrase is None else check_passphrase(passphrase())
    key = Ed25519PrivateKey.generate()
    _write(path, name, _private_text(key, words), mode=0o600)
    half = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    _write(public, name, half, mode=0o644)
    return PrivateKey(name, key).public


def public_file(path: Path) -> Path:
    """Where the public half of a private key lies."""
    return path.with_name(f"{path.name}.pub")


def read_private_key(path: Path, *, ask: Ask | None = None) -> PrivateKey:
    """Read a private key, or say in a sentence why it cannot be used.

    The passphrase of one that has it stands in the file that an operator named; otherwise `ask` gives it.
    """
    name, content = _read(path)
    if b"PRIVATE KEY" not in content:
        raise ValueError(f"{path} is a public key, which cannot sign; name the private one.")
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ValueError(f"Others can read the private key {path}: make it yours alone (chmod 600) to sign with it.")
    words = _passphrase(path, ask) if _ENCRYPTED in content else None
    hidden = None if words is None else password(words, content.partition(b"\n")[0])
    try:
        key = serialization.load_pem_private_key(content, hidden)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        if words is not None:
            raise ValueError(f"This is not the passphrase of {path}, or the file is damaged.") from None
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise _damaged(path)
    return PrivateKey(name, key)


def read_public_key(path: Path, *, ask: Ask | None = None) -> PublicKey:
    """Read a public key, or the public half of a private one."""
    name, content = _read(path)
    if b"PRIVATE KEY" in content:
        return read_private_key(path, ask=ask).public
    try:
        key = serialization.load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise _damaged(path)
    return PublicKey(name, key.public_bytes(_RAW, serialization.PublicFormat.Raw))


def check_name(name: str) -> None:
    """Refuse a name that cannot stand on one line beside a signature."""
    if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(
            f"The name of a key is what signatures are shown under: 1 to {LONGEST_NAME} letters on one line, with no "
            "space at either end."
        )


def _private_text(key: Ed25519PrivateKey, words: str | None) -> bytes:
    salt = b"" if words is None else new_salt()
    hidden = None if words is None else password(words, salt)
    how = serialization.NoEncryption() if hidden is None else serialization.BestAvailableEncryption(hidden)
    return salt + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, how)


def _passphrase(path: Path, ask: Ask | None) -> str:
    if (words := passphrase_in_file()) is not None:
        return words
    if ask is None:
        raise ValueError(f"The private key {path} has a passphrase; write it into a file and name that in {FILE}.")
    return ask()


def _write(path: Path, name: str, content: bytes, *, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)  # never over a key that is there
    with os.fdopen(descriptor, "wb") as file:
        file.write(f"{_NAME}{name}\n".encode() + content)
        file.flush()
        os.fsync(descriptor)


def _read(path: Path) -> tuple[str, bytes]:
    if not path.is_file():
        raise ValueError(f"There is no key file {path}; make one with: python -m diffoci keys make.")
    with path.open("rb") as file:
        first, _, content = file.read(_LARGEST).partition(b"\n")
    try:
        name = first.decode().removeprefix(_NAME)
        check_name(name)
    except ValueError:
        raise _damaged(path) from None
    if not first.startswith(_NAME.encode()):
        raise _damaged(path)
    return name, content


def _damaged(path: Path) -> ValueError:
    return ValueError(f"{path} is not a key of diffoci, or it is damaged; make one with: python -m diffoci keys make.")

"""``diffoci keys``: make a key to sign reports, cards and shared audits with, and show whose one is."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from diffoci.signing.keys import PrivateKey, PublicKey
    from diffoci.signing.passphrase import Ask


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("keys")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    making = actions.add_parser("make", help="a new key: a private file, and beside it a public one to hand out")
    making.add_argument("--name", required=True, metavar="NAME", help="who signs with it, as readers shall see it")
    making.add_argument("--out", type=Path, default=Path("diffoci.key"), metavar="FILE", help="default: diffoci.key")
    making.add_argument("--passphrase", action="store_true", help="encrypt it with a passphrase, which is asked for")
    making.set_defaults(run=run_make)
    showing = actions.add_parser("show", help="whose key it is, and its fingerprint")
    showing.add_argument("file", type=Path, metavar="KEY", help="a private or a public key")
    showing.set_defaults(run=run_show)


def add_sign(parser: argparse.ArgumentParser) -> None:
    """Add the option that signs what a command writes."""
    parser.add_argument("--sign", type=Path, metavar="KEY", help="sign it with this private key (diffoci keys make)")


def add_demanded(parser: argparse.ArgumentParser) -> None:
    """Add the option that demands a signature."""
    parser.add_argument("--key", type=Path, metavar="PUBLIC", help="refuse it unless it is signed with this key")


def key_of(arguments: argparse.Namespace) -> PrivateKey | None:
    """Return the key to sign with, if one was named."""
    from diffoci.signing.keys import read_private_key

    return None if arguments.sign is None else read_private_key(arguments.sign, ask=_ask())


def _ask() -> Ask | None:
    """Return how the passphrase of a key is had from the person at the terminal, if there is one."""
    return (lambda: getpass.getpass("Passphrase of the key: ")) if sys.stdin.isatty() else None


def _new_passphrase() -> str:
    from diffoci.signing.passphrase import FILE, passphrase_in_file

    if (words := passphrase_in_file()) is not None:
        return words
    if not sys.stdin.isatty():
        raise ValueError(f"There is no terminal to ask for a passphrase; write it into a file and name that in {FILE}.")
    words = getpass.getpass("Passphrase of the new key: ")
    if getpass.getpass("Once more: ") != words:
        raise ValueError("The two passphrases differ; no key was made.")
    return words


def demand(arguments: argparse.Namespace, signer: PublicKey | None) -> None:
    """Refuse what was not signed with the key demanded, if one was."""
    from diffoci.signing.keys import read_public_key
    from diffoci.signing.signature import check_signer

    if arguments.key is not None:
        check_signer(signer, read_public_key(arguments.key, ask=_ask()))


def signed_words(signer: PublicKey, arguments: argparse.Namespace) -> str:
    """Say who signed, and how far that can be relied on."""
    known = "the key demanded" if arguments.key is not None else "compare the fingerprint with one you have from them"
    return f"signed by {signer}: {known}"


def run_make(arguments: argparse.Namespace) -> None:
    from diffoci.signing.keys import make_key, public_file

    made = make_key(arguments.out, arguments.name, passphrase=_new_passphrase if arguments.passphrase else None)
    hidden = "" if arguments.passphrase else "; without a passphrase (--passphrase), whoever has the file signs as you"
    print(f"{arguments.out}: the private key, to sign with; keep it to yourself, there is no other copy{hidden}")
    print(f"{public_file(arguments.out)}: the public key; give it to whoever checks what you sign")
    print(f"{made.name}\nfingerprint {made.fingerprint}")


def run_show(arguments: argparse.Namespace) -> None:
    from diffoci.signing.keys import read_public_key

    found = read_public_key(arguments.file, ask=_ask())
    print(f"{found.name}\nfingerprint {found.fingerprint}")

"""What is done by commands, written down in the access log under the account that runs them."""

from __future__ import annotations

import getpass
import os

from diffoci.access_log import Event, Thing, is_on, record


def note(event: Event, what: Thing, id: str = "") -> None:
    """Write down what a command does, before it is done; `id` is that of the run, or the digest of an upload."""
    if is_on():
        record(event, what=what, id=id, name=f"account {_account()}, by a command")


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        return str(os.getuid())

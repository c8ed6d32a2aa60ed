"""Who may see something here: everybody, or the people whom a provider of identities names (OpenID Connect)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping

from streamlit.auth_util import get_secrets_auth_section, validate_auth_credentials
from streamlit.config import get_option, is_manually_set
from streamlit.errors import StreamlitAuthError
from streamlit.runtime.secrets import secrets_singleton

UNREADABLE = "The server's secrets cannot be read, so nobody can sign in; nothing is shown until they are put right."
MISSING = (
    "The server was told where its secrets lie and no file is there, so nobody can sign in; nothing is shown until the "
    "setting secrets.files is put right."
)
NOT_SET_UP = (
    "This server shows nothing without sign-in (DIFFOCI_SIGN_IN or DIFFOCI_PEOPLE), and sign-in is not set up whole: "
    "its secrets need a section [auth] with every entry that docs/server.md names."
)
UNKNOWN_SWITCH = "The server's setting DIFFOCI_SIGN_IN can only be “required”; nothing is shown until it is put right."


def must_sign_in() -> bool:
    """Say whether people must sign in (`[auth]` in Streamlit's secrets)."""
    return bool(get_secrets_auth_section())


def why_closed() -> str | None:
    """Return why nobody may see anything: what was meant to ask for sign-in and does not must not let everybody in."""
    switch = os.environ.get("DIFFOCI_SIGN_IN", "")
    if switch not in ("", "required"):
        return UNKNOWN_SWITCH
    if not secrets_singleton.load_if_toml_exists():
        if any(map(os.path.exists, get_option("secrets.files"))):
            return UNREADABLE
        if is_manually_set("secrets.files"):
            return MISSING
    return NOT_SET_UP if (switch or _named_people()) and not _is_whole() else None


def providers() -> list[str]:
    """Return the names of the providers set up, an empty one for the one without a name."""
    section = get_secrets_auth_section()
    if not isinstance(section, Mapping):
        return [""]
    named = [str(name) for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value]
    return named or [""]


def is_welcome(claims: Mapping[str, object]) -> bool:
    """Say whether somebody is among those of DIFFOCI_PEOPLE, by what the provider claims about them.

    Where it names nobody, everybody is. It names people by their address, by its end ("@example.org"), or by the
    provider's name for them (`sub`), letter by letter, which is one person's only among the people of one provider. An
    address counts only where the provider says that it checked it: many let people write down any.
    """
    named = _named_people()
    subject = str(claims.get("sub") or "")
    known = {subject} if "@" not in subject and len(providers()) == 1 else set()
    address = str(claims.get("email") or "").casefold()
    if "@" in address and claims.get("email_verified") is True:
        known |= {address, f"@{address.rpartition('@')[2]}"}
    return not named or bool(named & known)


def owner_of(claims: Mapping[str, object]) -> str | None:
    """Return what stands for a person in what belongs to them, by what the provider claims about them.

    It is empty where nobody has to sign in, and None for those who may see nothing here.
    """
    if why_closed():
        return None
    if not must_sign_in():
        return ""
    if claims.get("is_logged_in") is not True or not is_welcome(claims):
        return None
    # Issuer and subject are what OpenID Connect promises to stay the same; a name or an address may change hands.
    return hashlib.sha256(f"{claims.get('iss')}\n{claims.get('sub')}".encode()).hexdigest()[:32]


def _named_people() -> set[str]:
    return {one.casefold() if "@" in one else one for one in os.environ.get("DIFFOCI_PEOPLE", "").split()}


def _is_whole() -> bool:
    """Say whether sign-in has everything it needs."""
    try:
        for provider in providers():
            validate_auth_credentials(provider or "default")
    except StreamlitAuthError:
        return False
    return must_sign_in()

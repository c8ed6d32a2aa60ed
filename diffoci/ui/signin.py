"""Sign-in: where it is set up (OpenID Connect, `[auth]` in Streamlit's secrets), nothing is shown before it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping

import streamlit as st
from streamlit.auth_util import get_secrets_auth_section, validate_auth_credentials
from streamlit.config import is_manually_set
from streamlit.errors import StreamlitAuthError
from streamlit.runtime.secrets import secrets_singleton

from diffoci.ui.words import plain_markdown

LOCAL = ("127.0.0.1", "localhost", "::1")
OPEN_TO_ALL = (
    "This server can be reached from other machines and nobody has to sign in: whoever reaches it can read every audit "
    "and start new ones. Set up sign-in, or let it listen on 127.0.0.1 only (README, “A server for several people”)."
)
UNREADABLE = "The server's secrets cannot be read, so nobody can sign in; nothing is shown until they are put right."
MISSING = (
    "The server was told where its secrets lie and no file is there, so nobody can sign in; nothing is shown until the "
    "setting secrets.files is put right."
)
NOT_SET_UP = (
    "This server shows nothing without sign-in (DIFFOCI_SIGN_IN or DIFFOCI_PEOPLE), and sign-in is not set up whole: "
    "its secrets need a section [auth] with every entry that the README names."
)
UNKNOWN_SWITCH = "The server's setting DIFFOCI_SIGN_IN can only be “required”; nothing is shown until it is put right."


def is_set_up() -> bool:
    """Say whether people must sign in."""
    return bool(get_secrets_auth_section())


def why_closed() -> str | None:
    """Return why nobody may see anything: what was meant to ask for sign-in and does not must not let everybody in."""
    switch = os.environ.get("DIFFOCI_SIGN_IN", "")
    if switch not in ("", "required"):
        return UNKNOWN_SWITCH
    if not secrets_singleton.load_if_toml_exists():
        if any(map(os.path.exists, st.get_option("secrets.files"))):
            return UNREADABLE
        if is_manually_set("secrets.files"):
            return MISSING
    return NOT_SET_UP if (switch or _named_people()) and not _is_whole() else None


def _is_whole() -> bool:
    """Say whether sign-in has everything it needs."""
    try:
        for provider in _providers():
            validate_auth_credentials(provider or "default")
    except StreamlitAuthError:
        return False
    return is_set_up()


def require_sign_in() -> None:
    """Stop the page here for whoever has not signed in."""
    if closed := why_closed():
        st.error(closed, icon=":material/lock:")
        st.stop()
    if not is_set_up():
        return
    if st.user.is_logged_in:
        if not is_welcome():
            _turn_away()
        return
    st.title("Sign in to see your audits", anchor=False)
    st.markdown("Audits on this server belong to the person who made them.")
    for provider in _providers():
        words = f"Sign in with {provider}" if provider else "Sign in"
        if st.button(words, type="primary", icon=":material/login:", key=f"sign-in-{provider}"):
            st.login(provider or None)
    st.stop()


def is_welcome() -> bool:
    """Say whether the person signed in is among those of DIFFOCI_PEOPLE; where it names nobody, everybody is.

    It names people by their address, by its end ("@example.org"), or by the provider's name for them (`sub`), which is
    one person's only among the people of one provider. An address counts only where the provider says that it checked
    it: many let people write down any.
    """
    named = _named_people()
    subject = str(st.user.get("sub") or "").casefold()
    known = {subject} if "@" not in subject and len(_providers()) == 1 else set()
    address = str(st.user.get("email") or "").casefold()
    if "@" in address and st.user.get("email_verified") is True:
        known |= {address, f"@{address.rpartition('@')[2]}"}
    return not named or bool(named & known)


def _named_people() -> set[str]:
    return {one.casefold() for one in os.environ.get("DIFFOCI_PEOPLE", "").split()}


def _turn_away() -> None:
    st.title("This account may not see audits here", anchor=False)
    st.markdown(f"You are signed in as {plain_markdown(person())}. Ask whoever runs this server to name you.")
    offer_sign_out()
    st.stop()


def offer_sign_out() -> None:
    """Say who is signed in, with the way out."""
    if is_set_up():
        st.caption(f"Signed in as {plain_markdown(person())}")
        if st.button("Sign out", icon=":material/logout:", key="sign-out", type="tertiary"):
            st.logout()


def owner() -> str:
    """Return what stands for the person signed in, in what belongs to them; empty where nobody has to sign in."""
    if not is_set_up():
        return ""
    # Issuer and subject are what OpenID Connect promises to stay the same; a name or an address may change hands.
    return hashlib.sha256(f"{st.user.get('iss')}\n{st.user.get('sub')}".encode()).hexdigest()[:32]


def person() -> str:
    """Return the name of whoever is signed in."""
    return str(st.user.get("name") or st.user.get("email") or st.user.get("sub"))


def _providers() -> list[str]:
    """Return the names of the providers set up, an empty one for the one without a name."""
    section = get_secrets_auth_section()
    if not isinstance(section, Mapping):
        return [""]
    named = [str(name) for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value]
    return named or [""]


def warn_if_open() -> None:
    """Say on the page that anyone can reach this server, where that is so."""
    if not is_set_up() and str(st.get_option("server.address") or "0.0.0.0") not in LOCAL:
        st.warning(OPEN_TO_ALL, icon=":material/lock_open:")

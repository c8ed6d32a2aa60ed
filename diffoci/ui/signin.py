"""Sign-in: where people must, nothing is shown before it."""

from __future__ import annotations

import streamlit as st

from diffoci.server.people import is_welcome, must_sign_in, owner_of, providers, why_closed
from diffoci.ui.access import note
from diffoci.ui.words import plain_markdown

LOCAL = ("127.0.0.1", "localhost", "::1")
OPEN_TO_ALL = (
    "This server can be reached from other machines and nobody has to sign in: whoever reaches it can read every audit "
    "and start new ones. Set up sign-in, or let it listen on 127.0.0.1 only (docs/server.md)."
)


def require_sign_in() -> None:
    """Stop the page here for whoever has not signed in."""
    if closed := why_closed():
        st.error(closed, icon=":material/lock:")
        st.stop()
    if not must_sign_in():
        return
    if st.user.is_logged_in:
        if not is_welcome(st.user):
            _turn_away()
        return
    note("refused", what="page", why="not signed in")
    st.title("Sign in to see your audits", anchor=False)
    st.markdown("Audits on this server belong to the person who made them.")
    for provider in providers():
        words = f"Sign in with {provider}" if provider else "Sign in"
        if st.button(words, type="primary", icon=":material/login:", key=f"sign-in-{provider}"):
            st.login(provider or None)
    st.stop()


def _turn_away() -> None:
    note("refused", what="page", why="not named")
    st.title("This account may not see audits here", anchor=False)
    st.markdown(f"You are signed in as {plain_markdown(person())}. Ask whoever runs this server to name you.")
    offer_sign_out()
    st.stop()


def offer_sign_out() -> None:
    """Say who is signed in, with the way out."""
    if must_sign_in():
        st.caption(f"Signed in as {plain_markdown(person())}")
        if st.button("Sign out", icon=":material/logout:", key="sign-out", type="tertiary"):
            st.logout()


def owner() -> str:
    """Return what stands for the person signed in, in what belongs to them; empty where nobody has to sign in."""
    found = owner_of(st.user)
    if found is None:
        raise ValueError("You are no longer signed in; reload this page and sign in.")
    return found


def person() -> str:
    """Return the name of whoever is signed in."""
    return str(st.user.get("name") or st.user.get("email") or st.user.get("sub"))


def warn_if_open() -> None:
    """Say on the page that anyone can reach this server, where that is so."""
    if not must_sign_in() and str(st.get_option("server.address") or "0.0.0.0") not in LOCAL:
        st.warning(OPEN_TO_ALL, icon=":material/lock_open:")

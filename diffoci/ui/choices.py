"""What widgets begin with: choices outlast their page, while Streamlit forgets a widget when its page is left.

Those that say what is looked at are kept in the address, so that a link to a view opens that view.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import streamlit as st


class InAddress(TypedDict):
    """Arguments of a widget that the address keeps."""

    key: str
    bind: Literal["query-params"]


def in_address(key: str) -> InAddress:
    """Bind a widget to the address under this name, which must not be one of `diffoci.ui.links`.

    Streamlit keeps what differs from the widget's default, which must therefore not follow the choice: `lasting` is not
    for these. A value in the address that the widget does not have is taken out of it and the default holds. The choice
    outlasts its page by itself, and is the same on every page that binds the name.
    """
    return {"key": key, "bind": "query-params"}


def lasting(key: str, value: Any) -> Any:
    """Return what a widget begins with: the value it had when last drawn, or its first one.

    Give it to the widget as its default, never by `st.session_state`: a value set there reaches the browser with one
    run of the script alone, and a browser that skips that run, because the next click interrupted it, begins with an
    empty widget and sends that back.
    """
    kept = st.session_state.setdefault("lasting", {})
    if key in st.session_state:
        kept[key] = st.session_state[key]
    return kept.get(key, value)


def renewed(key: str) -> str:
    """Return the key that a widget has now: another one each time `set_choice` gave it a value."""
    count = st.session_state.get("renewals", {}).get(key, 0)
    return f"{key}-{count}" if count else key


def set_choice(key: str, value: Any) -> None:
    """Let the widget of `renewed(key)` begin anew with a value, as a button beside it asks for."""
    renewals = st.session_state.setdefault("renewals", {})
    renewals[key] = renewals.get(key, 0) + 1
    st.session_state.setdefault("lasting", {})[renewed(key)] = value


def forget_choices() -> None:
    """Let the widgets of the Data page begin anew from the draft."""
    for values in (st.session_state, st.session_state.get("lasting", {})):
        for key in [key for key in values if str(key).startswith("data-")]:
            del values[key]

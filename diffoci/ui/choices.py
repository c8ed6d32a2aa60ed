"""First values of widgets, and choices that outlast their page: Streamlit forgets a widget when its page is left."""

from __future__ import annotations

from typing import Any

import streamlit as st


def starting(key: str, value: Any) -> str:
    """Give a widget its first value, which Streamlit forgets when the page is left; return its key."""
    if value is not None:
        st.session_state.setdefault(key, value)
    return key


def lasting(key: str, value: Any) -> str:
    """Give a widget its first value, or the one it had when its page was left; return its key."""
    kept = st.session_state.setdefault("lasting", {})
    if key in st.session_state:
        kept[key] = st.session_state[key]
    else:
        st.session_state[key] = kept.get(key, value)
    return key


def forget_choices() -> None:
    """Let the widgets of the Data page begin anew from the draft."""
    for key in [key for key in st.session_state if str(key).startswith("data-")]:
        del st.session_state[key]

"""Fields that ask for the roles of columns, of whatever data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from diffoci.data.sources import location_of
from diffoci.ui.choices import lasting

_SENSITIVE_HELP = "What should not be guessable. Several are audited one by one and together."
_DROP_HELP = "These columns take no part in the audit."
NONE_SENSITIVE = "Name at least one sensitive attribute: an audit asks how well it can be guessed."


def choose_sensitive(columns: Sequence[str], first: Sequence[str], *, key: str) -> list[str]:
    """Ask for the sensitive attributes."""
    return choose_some(
        "Sensitive attributes", columns, first, key=key, help=_SENSITIVE_HELP, placeholder="choose at least one"
    )


def choose_left_out(
    columns: Sequence[str], first: Sequence[str], *, key: str, labels: Mapping[str, str] | None = None
) -> list[str]:
    """Ask for the columns that take no part; `labels` say what they mean."""
    known = labels or {}
    return choose_some(
        "Columns to leave out",
        columns,
        first,
        key=key,
        help=_DROP_HELP,
        placeholder="none",
        format_func=lambda name: name if known.get(name, name) == name else f"{name}: {known[name]}",
    )


def left_out_key(data: str) -> str:
    """The key of the field that says which columns of data are left out, as `set_choice` takes it."""
    location = location_of(data)
    return f"data-drop-{Path(location).parent.name[:12] if location else data}"


def choose_some(title: str, names: Sequence[str], first: Sequence[str], *, key: str, **look: Any) -> list[str]:
    """Ask for any number of some names; of those to begin with, some may have got another role."""
    return st.multiselect(title, names, [name for name in lasting(key, first) if name in names], key=key, **look)


def choose_one(title: str, names: Sequence[str], first: str | None, *, key: str, **look: Any) -> str | None:
    """Ask for one of some names, or none."""
    first = lasting(key, first)
    return st.selectbox(title, names, names.index(first) if first in names else None, key=key, **look)

"""Every setting of an audit as a field, from a preset, with the paper's value beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from diffoci.audit.presets import PRESETS
from diffoci.ui.choices import lasting
from diffoci.ui.settings_words import GROUPS, Setting, value_in

_MAY_BE_EMPTY = (("", "curve"), ("network", "hidden"), ("penalised", "hidden"), ("adversary", "hidden"))
_MAY_REPEAT = ("fractions", "hidden")


def choose_settings(preset: str, data: str) -> dict[str, Any]:
    """Show all settings of a preset for some data; return those that were changed, as `make_spec` takes them."""
    changed: dict[str, Any] = {}
    for tab, (_, settings) in zip(st.tabs(list(GROUPS)), GROUPS.items(), strict=True):
        with tab, st.container(horizontal=True):
            for setting in settings:
                if setting.name not in (PRESETS[preset][setting.group] if setting.group else PRESETS[preset]):
                    continue
                before = value_in(preset, setting, data)
                value = _field(setting, before, data, key=_key(preset, setting, data))
                if value == (list(before) if isinstance(before, tuple) else before):
                    continue
                if setting.group:
                    changed.setdefault(setting.group, {})[setting.name] = value
                else:
                    changed[setting.name] = value
    return changed


def _key(preset: str, setting: Setting, data: str) -> str:
    """The paper's weights of features begin with other numbers for other data."""
    key = f"train-{preset}-{setting.group}-{setting.name}"
    return f"{key}-{data}" if preset == "paper" and setting.group == "vec" else key


def _field(setting: Setting, value: Any, data: str, *, key: str) -> Any:
    text = f"{setting.help} Paper: {setting.paper(data)}."
    if setting.choices:
        return st.selectbox(setting.title, list(setting.choices), format_func=setting.choices.__getitem__,
                            key=lasting(key, value), help=text, width=230)  # fmt: skip
    if isinstance(value, Sequence):
        typed = st.text_input(setting.title, key=lasting(key, said(value, empty="")), help=text, width=230)
        return numbers(
            typed,
            setting.title,
            whole=setting.name == "hidden",
            needed=(setting.group, setting.name) not in _MAY_BE_EMPTY,
            distinct=setting.name not in _MAY_REPEAT,
        )
    if setting.whole:
        found = st.number_input(
            setting.title, int(setting.least), key=lasting(key, int(value or 0)), help=text, width=230, step=1
        )
        return (int(found) or None) if setting.zero_is_none else int(found)
    return st.number_input(
        setting.title,
        setting.least,
        setting.most,
        key=lasting(key, float(value)),
        help=text,
        width=230,
        format="%g",
        step=value / 10 or 0.1,
    )


def said(value: Any, *, empty: str = "none") -> str:
    """Say a setting's value.

    Examples
    --------
    >>> said((128, 64)), said(None), said(0.001)
    ('128, 64', 'as many as input columns', '0.001')
    """
    if value is None:
        return "as many as input columns"
    if isinstance(value, (tuple, list)):
        return ", ".join(f"{entry:g}" for entry in value) or empty
    return f"{value:g}"


def numbers(
    text: str, title: str, *, whole: bool = False, needed: bool = False, distinct: bool = False
) -> list[float] | list[int]:
    """Read numbers between commas, or say what is wrong: an entry that is none, none where one is `needed`, one twice.

    Examples
    --------
    >>> numbers("128, 64", "Hidden layers", whole=True)
    [128, 64]
    """
    try:
        values = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ValueError(f"{title}: '{text}' is not a list of numbers; write them with commas between.") from None
    if any(not 0 <= value < 1e9 or (whole and (value != int(value) or value < 1)) for value in values):
        raise ValueError(f"{title}: '{text}' holds a number that is not possible here.")
    if needed and not values:
        raise ValueError(f"{title}: write at least one number.")
    if distinct and len({f"{value:g}" for value in values}) < len(values):
        raise ValueError(f"{title}: '{text}' has the same number twice.")
    return [int(value) for value in values] if whole else values

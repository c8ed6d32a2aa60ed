"""Every setting of an audit as a field, from a preset, with the paper's value beside it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from diffoci.audit.methods import list_methods
from diffoci.audit.presets import PRESETS, paper_says, value_in
from diffoci.audit.probes import PROBES
from diffoci.audit.setting_kinds import Choice, Numbers, Shares
from diffoci.audit.settings import GUESSING, SETTINGS, Setting
from diffoci.audit.words import listed
from diffoci.ui.choices import lasting

_WIDTH = 230


def choose_settings(preset: str, data: str) -> dict[str, Any]:
    """Show all settings of a preset for some data; return those that were changed, as `make_spec` takes them."""
    values = PRESETS[preset].settings
    asked = [one for one in SETTINGS if one.tab and one.name in (values[one.group] if one.group else values)]
    tabs = list(dict.fromkeys(setting.tab for setting in asked))
    changed: dict[str, Any] = {}
    for place, tab in zip(st.tabs([_title(tab) for tab in tabs]), tabs, strict=True):
        with place:
            if tab == GUESSING:
                st.caption(f"Guessed by {listed([probe.title for probe in PROBES.values()])}.")
            with st.container(horizontal=True):
                for setting in [one for one in asked if one.tab == tab]:
                    before = value_in(preset, setting, data)
                    value = _field(setting, before, data, key=_key(preset, setting, data))
                    if value != (list(before) if isinstance(before, tuple) else before):
                        (changed.setdefault(setting.group, {}) if setting.group else changed)[setting.name] = value
    return changed


def _title(tab: str) -> str:
    """A tab with the methods that are trained as it says, where they are several."""
    groups = {setting.group for setting in SETTINGS if setting.tab == tab and setting.group}
    trained = [method.called for method in list_methods() if method.settings in groups]
    return f"{tab} ({', '.join(trained)})" if len(trained) > 1 else tab


def _key(preset: str, setting: Setting, data: str) -> str:
    """The paper's weights of features begin with other numbers for other data."""
    key = f"train-{preset}-{setting.group}-{setting.name}"
    return f"{key}-{data}" if preset == "paper" and setting.group == "vec" else key


def _field(setting: Setting, value: Any, data: str, *, key: str) -> Any:
    kind, title = setting.kind, setting.title
    look: dict[str, Any] = {"help": f"{setting.help} Paper: {paper_says(setting, data)}.", "width": _WIDTH, "key": key}
    if isinstance(kind, Choice):
        words = kind.titles
        first = list(words).index(lasting(key, value))
        return st.selectbox(title, list(words), first, format_func=words.__getitem__, **look)
    if isinstance(kind, Numbers | Shares):
        typed = st.text_input(title, lasting(key, ", ".join(f"{one:g}" for one in value)), **look)
        return numbers(typed, title, whole=isinstance(kind, Numbers) and kind.each.whole)
    of: type[int] | type[float] = int if kind.whole else float
    look |= {
        "min_value": of(0 if kind.none else kind.least),  # 0 stands for none
        "max_value": of(kind.most),
        "format": "%d" if kind.whole else "%g",
        "step": 1 if kind.whole else value / 10 or 0.1,
    }
    found = of(st.number_input(title, value=lasting(key, of(value or 0)), **look))
    return None if kind.none and found == 0 else found


def numbers(text: str, title: str, *, whole: bool = False) -> list[float]:
    """Read numbers between commas, or say which text is none; whether they are possible is the setting's to say.

    Examples
    --------
    >>> numbers("128, 64", "Hidden layers", whole=True)
    [128, 64]
    """
    try:
        values = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ValueError(f"{title}: '{text}' is not a list of numbers; write them with commas between.") from None
    return [int(value) if whole and value.is_integer() else value for value in values]

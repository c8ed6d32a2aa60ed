"""Choose a source and its options, as the source declares them; the answer is a draft without roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from diffoci.data.source import Option, Source
from diffoci.data.sources import find_source, list_entries
from diffoci.ui.choices import lasting
from diffoci.ui.forms.obtaining import at_hand
from diffoci.ui.runs.draft import Draft, draft

WANTED = "source-wanted"
_ROWS = {False: "Real", True: "Simulated twin"}


def choose_source() -> Draft | None:
    """Show the sources; return the one chosen with its options, or None while there is none."""
    before, entries = draft(), list_entries()
    chosen = None if before is None else find_source(before.data)
    known = None if chosen is None else chosen.entry.name
    first = lasting("data-source", st.session_state.pop(WANTED, None) or known)
    name = st.pills(
        "Source",
        list(entries),
        format_func=lambda name: entries[name][0].entry.title,
        key="data-source",
        default=first if first in entries else None,
        required=False,
    )
    return None if name is None else _choose_from(entries[name], before if known == name else None)


def _choose_from(sources: Sequence[Source], before: Draft | None) -> Draft:
    """Ask for everything that the sources of one entry leave open, beginning with what was chosen before."""
    if sources[0].takes_file:
        return before or Draft(sources[0].at(""))
    twin = _choose_rows(sources, before)
    old = {} if before is None else before.options
    with st.container(horizontal=True):
        source = _choose_member([source for source in sources if source.twin or not twin], twin, before)
        asked = [option for option in source.options if option.on_form and option.applies(twin=twin)]
        options = _ask_all([option for option in asked if option.kind not in ("flag", "kinds")], source, old)
    switches = _ask_all([option for option in asked if option.kind == "flag"], source, old)
    usual = {option.name: option.default for option in asked}
    turned = {name: value for name, value in switches.items() if value != usual[name]}
    return Draft(source.name, twin=twin, options={**options, **turned})


def _choose_rows(sources: Sequence[Source], before: Draft | None) -> bool:
    """Ask for real rows or their simulated twin, where there is one."""
    first = sources[0]
    if first.twin is None:
        return False
    key = f"data-twin-{first.entry.name}"
    chosen = st.segmented_control(
        "Rows",
        [False, True],
        format_func=_ROWS.__getitem__,
        key=key,
        default=lasting(key, before.twin if before is not None else not at_hand(first.name)),
        required=True,
        help="The same columns and similar patterns, but nobody in it is real. It needs no download.",
    )
    return bool(chosen)


def _choose_member(sources: Sequence[Source], twin: bool, before: Draft | None) -> Source:
    """Ask which of the sources that share an entry of the form."""
    if len(sources) == 1:
        return sources[0]
    members = {source.name: source for source in sources}
    first = before.data if before is not None and before.data in members else sources[0].name
    words = {name: source.member or source.title for name, source in members.items()}
    entry = sources[0].entry
    key = f"data-member-{entry.name}-{twin}"
    return members[
        st.selectbox(
            entry.choice or entry.title,
            list(words),
            list(words).index(lasting(key, first)),
            format_func=words.__getitem__,
            key=key,
            width=_width(words.values()),
        )
    ]


def _ask_all(options: Sequence[Option], source: Source, old: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for options; those left open are not among the answers."""
    answers = {}
    for option in options:
        before = old.get(option.name, option.default)
        first = before if option.allows(before) else option.default
        answers[option.name] = _ask(option, first, key=f"data-{option.name}-{source.entry.name}")
    return {name: value for name, value in answers.items() if value is not None}


def _ask(option: Option, first: Any, *, key: str) -> Any:
    """Ask for one option by the widget of its kind."""
    help = option.help or None
    if option.kind == "flag":
        return st.toggle(option.asked, lasting(key, bool(first)), key=key, help=help)
    if option.choices:
        choices = list(option.choices)
        return st.selectbox(
            option.asked,
            choices,
            choices.index(next(one for one in (lasting(key, first), option.default) if one in choices)),
            format_func=option.choices.__getitem__,
            key=key,
            help=help,
            width=_width(option.choices.values()),
        )
    if option.kind in ("whole", "number"):
        return _ask_number(option, first, key=key, help=help)
    return st.text_input(option.asked, lasting(key, first), key=key, help=help, width=_width([option.asked])) or None


def _ask_number(option: Option, first: Any, *, key: str, help: str | None) -> Any:
    kind: Any = int if option.kind == "whole" else float
    limits: Any = option.shown or (option.least, option.most)
    low, high = (None if limit is None else kind(limit) for limit in limits)
    if first is not None:  # one that was given elsewhere may lie outside of what the form offers
        first = kind(max(first, first if low is None else low))
        first = kind(min(first, first if high is None else high))
    if option.step is None and low is not None and high is not None:
        return st.slider(option.asked, low, high, lasting(key, first), key=key, help=help)
    return st.number_input(
        option.asked,
        low,
        high,
        lasting(key, first),
        step=kind(option.step or 1),
        format="%.0f" if kind is float and option.step else None,
        key=key,
        help=help,
        width=_width([option.asked]),
    )


def _width(words: Iterable[str]) -> int:
    """Room for the longest of some words, and for what stands around them."""
    return 90 + 8 * max(map(len, words), default=0)

"""Predict, then look: a reader commits to an answer before anything is shown, and is told what is right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

_SAID = "lessons-said"


def knob(
    label: str, least: float, most: float, value: float, step: float, *, key: str, help: str | None = None
) -> float:
    """A slider whose value stands in the address under its key; what is no number there falls back to `value`."""
    chosen = st.slider(label, least, most, value, step, key=key, bind="query-params", help=help)
    return chosen if math.isfinite(chosen) else value


def committed(topic: str, question: str, options: Sequence[str]) -> str | None:
    """The answer that the reader committed to in this session; None as long as there is none."""
    said: dict[str, str] = st.session_state.setdefault(_SAID, {})
    if said.get(topic) in options:
        return said[topic]
    with st.container(border=True):
        choice = st.radio(f"**Predict first.** {question}", list(options), index=None, key=f"answer-{topic}")
        st.button(
            "This is my answer: show me",
            key=f"commit-{topic}",
            disabled=choice is None,
            on_click=said.update,
            args=({topic: choice},),
        )
    return None


def reveal(topic: str, said: str, right: str, why: str) -> None:
    """Say whether the answer holds with the knobs as they stand, and why."""
    if said == right:
        st.success(f"You said “{said}”, and that is right. {why}", icon=":material/check:")
    else:
        st.info(f"You said “{said}”. The answer is: **{right}**. {why}", icon=":material/lightbulb:")
    st.button(
        "Ask me again",
        key=f"again-{topic}",
        type="tertiary",
        icon=":material/replay:",
        on_click=st.session_state[_SAID].pop,
        args=(topic, None),
    )


def to_try(text: str) -> None:
    """One thing to try."""
    st.info(f"**Try:** {text}", icon=":material/edit:")

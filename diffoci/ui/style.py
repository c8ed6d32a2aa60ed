"""The few lines of style that the theme cannot say: the mark of simulated data, and less empty space on top."""

from __future__ import annotations

import streamlit as st

_SIMULATED = """
.st-key-simulated-bar [data-testid="stAlertContainer"] {
  background: repeating-linear-gradient(135deg, #FFE7A8 0 18px, #FFD97A 18px 36px); color: #3A2A00;
  border-left: 8px solid #D55E00;
}
.st-key-simulated-bar [data-testid="stAlertContainer"] * { color: #3A2A00; }
"""
_SPACE = '[data-testid="stMainBlockContainer"] { padding-top: 4rem; }'
_NARROW = (
    "@media (max-width: 640px) { [class*='st-key-card-'] { width: 100% !important; max-width: none !important; } }"
)
# White on the dark theme's lighter blue would be too faint to read.
_DARK = '[data-tag], [data-tag] *, [data-testid="stBaseButton-primary"] * { color: #0B0E12 !important; }'


def add_style() -> None:
    """Add the style to the page; colours of the bar are the same in light and dark, so that it is never missed."""
    dark = _DARK if st.context.theme.type == "dark" else ""
    st.html(f"<style>{_SIMULATED}{_SPACE}{_NARROW}{dark}</style>")

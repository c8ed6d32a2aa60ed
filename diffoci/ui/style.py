"""The few lines of style that the theme cannot say: the mark of simulated data, cards, focus, enough contrast."""

from __future__ import annotations

import streamlit as st

_SIMULATED = """
.st-key-simulated-bar [data-testid="stAlertContainer"] {
  background: repeating-linear-gradient(135deg, #FFE7A8 0 18px, #FFD97A 18px 36px); color: #3A2A00;
  border-left: 8px solid #D55E00;
}
.st-key-simulated-bar [data-testid="stAlertContainer"] * { color: #3A2A00; }
"""
_SPACE = '[data-testid="stMainBlockContainer"] { padding-top: 4rem; padding-bottom: 3rem; }'
# Three cards side by side where there is room, then fewer; the last row fills the width.
_CARDS = (
    ".st-key-cards { flex-direction: row; flex-wrap: wrap; align-items: stretch; }"
    ".st-key-cards > * { flex: 1 1 250px; width: auto !important; min-width: min(100%, 250px); }"
    ".st-key-cards [class*='st-key-card-'] { height: 100%; }"
)
# A narrow window: a smaller title, and the legend names the marks of pictures whose names would overlap.
_NARROW = (
    "@media (max-width: 640px) { h1 { font-size: 1.6rem !important; } .katex-display > .katex { font-size: 0.85em; }"
    '[data-testid="stTable"] :is(th, td) { padding: 0.2rem 0.3rem; font-size: 0.8rem; } }'
    "@media (max-width: 640px) { .st-key-features :is(.bartext, .annotation-text) { font-size: 10px !important; } }"
    # Pictures side by side in half a window would lose the ends of their titles.
    "@media (min-width: 641px) and (max-width: 1200px) "
    "{ [data-testid='stColumn']:has(.stPlotlyChart) { min-width: calc(100% - 1.5rem); } }"
    "@media (max-width: 900px) { :is(.st-key-compare, [class*='st-key-moves-']) .textpoint { display: none; } }"
)
# Lines of images with their names beside them, in a narrow window above them.
_GALLERY = (
    ".gallery-line { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 2px 0.75rem; "
    "align-items: center; max-width: 68rem; margin-bottom: 3px; font-size: 0.875rem; }"
    ".gallery-line img { width: 100%; display: block; }"
    ".gallery-numbers { display: flex; } .gallery-numbers span { flex: 1; text-align: center; }"
    "@media (max-width: 640px) { .gallery-line { grid-template-columns: minmax(0, 1fr); margin-bottom: 0.5rem; } }"
)
# Tables offer a CSV file of their own making, in which a cell may be a formula; ours below them is harmless.
_OWN_CSV = '[data-testid="stElementToolbarButton"]:has([aria-label^="Download as CSV"]) { display: none; }'
# Whoever goes by keyboard sees where they are; lists of choices show it themselves.
_FOCUS = (
    ':is(a, button, summary, [role="slider"], [role="radio"], [role="tab"], [tabindex="0"]):focus-visible'
    ':not([data-testid="stSelectbox"] *, [data-testid="stMultiSelect"] *) '
    "{{ outline: 3px solid {colour} !important; outline-offset: 2px; }}"
)
# Streamlit's captions are fainter than a reader with weak eyes can make out (4.4 : 1; 4.5 is the least that is enough).
_CAPTION = '[data-testid="stCaptionContainer"] {{ color: {colour} !important; opacity: 1; }}'
# What comes next on a page is a link, so that it opens in a second tab, and looks like the one primary button.
_NEXT_STEP = (
    ".st-key-next-step a {{ background: {colour}; border-radius: 0.5rem; padding: 0.4rem 0.9rem; }}"
    ".st-key-next-step a:hover {{ background: {colour}; filter: brightness(0.92); }}"
    ".st-key-next-step a * {{ color: {text} !important; font-weight: 600; }}"
)
# Pages that wait are grey; Streamlit's own grey is too faint to read (2.4 : 1).
_WAITING = 'a[data-testid="stPageLink-NavLink"][disabled] * {{ color: {colour} !important; }}'
# The chosen one of several buttons: Streamlit writes it in the blue of its own background.
_CHOSEN = '[role="radio"][data-selected] p {{ color: {colour} !important; font-weight: 600; }}'
# White on the dark theme's lighter blue would be too faint to read.
_DARK = '[data-tag], [data-tag] *, [data-testid="stBaseButton-primary"] * { color: #0B0E12 !important; }'


def add_style() -> None:
    """Add the style to the page; colours of the bar are the same in light and dark, so that it is never missed."""
    dark = st.context.theme.type == "dark"
    caption = _CAPTION.format(colour="#B3BCC6" if dark else "#56606B")
    chosen = _CHOSEN.format(colour="#EEF1F4" if dark else "#1B1F24")
    focus = _FOCUS.format(colour="#7CC4F2" if dark else "#005A8C")
    step = _NEXT_STEP.format(colour="#3D9BD6" if dark else "#0072B2", text="#0B0E12" if dark else "#FFFFFF")
    waiting = _WAITING.format(colour="#9AA3AD" if dark else "#5F6873")
    themed = f"{caption}{chosen}{focus}{step}{waiting}{_DARK if dark else ''}"
    st.html(f"<style>{_SIMULATED}{_SPACE}{_CARDS}{_NARROW}{_GALLERY}{_OWN_CSV}{themed}</style>")

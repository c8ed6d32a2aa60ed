"""The frame of every page: title, links, what is being looked at, and whether it is real."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from diffoci.ui.audits import found_audit
from diffoci.ui.draft import draft
from diffoci.ui.guard import guarded
from diffoci.ui.links import PAGES, Page, link
from diffoci.ui.words import STATES, audit_title, data_title, is_simulated, plain_markdown

SIMULATED = "SIMULATED DATA: nobody in these rows is real. Use the results to learn the method, not to judge anyone."
_ROOT = Path(__file__).parents[2]


def open_page(title: str, icon: str = "⚖️") -> None:
    """Begin a page: configuration, sidebar, and the bar across the top where the data are simulated."""
    st.set_page_config(page_title=f"{title} · difFOCI audit", page_icon=icon, layout="wide")
    with guarded():
        run = found_audit()
        with st.sidebar:
            _links()
            _now_open()
        chosen = draft()
        if run is not None:
            simulated_bar(is_simulated(run.spec))
        elif chosen is not None:
            simulated_bar(is_simulated(chosen.spec))


def simulated_bar(simulated: bool = True, text: str = SIMULATED) -> None:
    """Draw the mark of simulated data across the page."""
    if simulated:
        with st.container(key="simulated-bar"):
            st.warning(f"**{plain_markdown(text)}**", icon="🧪")


def _links() -> None:
    for page in _pages():
        link(page.path, page.title, icon=page.icon, help=page.question)


@cache
def _pages() -> tuple[Page, ...]:
    return tuple(page for page in PAGES if (_ROOT / page.path).exists())


def _now_open() -> None:
    st.divider()
    run, chosen = found_audit(), draft()
    if run is not None:
        st.caption("Audit")
        st.markdown(f"**{plain_markdown(audit_title(run.spec))}**")
        st.caption(f"{STATES[run.status().state]}, preset {run.spec.preset}")
    elif chosen is not None:
        st.caption("Data chosen")
        st.markdown(f"**{plain_markdown(data_title(chosen.spec))}**")
    else:
        st.caption("No data chosen yet")
    st.caption(f"Computing on {device_words()}")


@cache
def device_words() -> str:
    """Say what trains the networks: the graphics card by its name, or the processor."""
    import torch

    if torch.cuda.is_available():
        return f"GPU {torch.cuda.get_device_name()}"
    if torch.backends.mps.is_available():
        return "the Apple GPU"
    return "CPU"

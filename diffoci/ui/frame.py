"""The frame of every page: title, links, what is being looked at, and whether it is real."""

from __future__ import annotations

import streamlit as st

from diffoci.runs.store import Run
from diffoci.ui.audits import found_audit
from diffoci.ui.device import device_words
from diffoci.ui.draft import Draft, draft
from diffoci.ui.guard import guarded
from diffoci.ui.links import link, pages
from diffoci.ui.queue import keep_advancing, standing
from diffoci.ui.signin import offer_sign_out, require_sign_in, warn_if_open
from diffoci.ui.style import add_style
from diffoci.ui.words import STATES, audit_title, data_title, is_simulated, plain_markdown

SIMULATED = "SIMULATED DATA: nobody in these rows is real. Use the results to learn the method, not to judge anyone."


def open_page(title: str, icon: str = "⚖️") -> None:
    """Begin a page: configuration, sidebar, and the bar across the top where the data are simulated.

    The bar is about the open audit, or else about the data chosen in this session.
    """
    st.set_page_config(page_title=f"{title} · difFOCI audit", page_icon=icon, layout="wide")
    require_sign_in()  # not guarded: what goes wrong here must end the page
    with guarded():
        add_style()
        keep_advancing()
        run, chosen = found_audit(), draft()
        with st.sidebar:
            st.markdown("### difFOCI audit")
            for page in pages().values():
                link(page.path, page.title, icon=page.icon, help=page.question)
            st.divider()
            _now_open(run, chosen)
            st.caption(f"Computing on {device_words()}")
            offer_sign_out()
        warn_if_open()
        if title not in ("Home", "Data", "Two audits"):  # these choose what is shown and draw their own
            about = run.spec if run is not None else None if chosen is None else chosen.spec
            simulated_bar(about is not None and is_simulated(about))


def simulated_bar(simulated: bool = True, text: str = SIMULATED) -> None:
    """Draw the mark of simulated data across the page."""
    if simulated:
        with st.container(key="simulated-bar"):
            st.warning(f"**{plain_markdown(text)}**", icon=":material/science:")


def _now_open(run: Run | None, chosen: Draft | None) -> None:
    if run is not None:
        st.caption("Audit")
        st.markdown(f"**{plain_markdown(audit_title(run.spec))}**")
        simulated = ", simulated data" if is_simulated(run.spec) else ", real data"
        st.caption(f"{STATES[standing(run).state]}, preset {plain_markdown(run.spec.preset)}{simulated}")
    if chosen is not None and (run is None or not _same_data(run, chosen)):
        st.caption("Data chosen for the next audit" if run is not None else "Data chosen")
        st.markdown(f"**{plain_markdown(data_title(chosen.spec))}**")
        st.caption("simulated data" if is_simulated(chosen.spec) else "real data")
    if run is None and chosen is None:
        st.caption("No data chosen yet")


def _same_data(run: Run, chosen: Draft) -> bool:
    ours, theirs = chosen.spec.to_dict(), run.spec.to_dict()
    return all(ours[entry] == theirs[entry] for entry in ("data", "twin", "options", "sensitive"))

"""The frame of every page: title, links, what is being looked at, and whether it is real."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.study import AUDIT, data_title
from diffoci.runs.queue import keep_advancing, standing
from diffoci.runs.store import Run
from diffoci.ui.forms.naming import title_of
from diffoci.ui.guard import guarded
from diffoci.ui.notices import show_notices
from diffoci.ui.runs.audits import found_run
from diffoci.ui.runs.device import device_words
from diffoci.ui.runs.draft import Draft, draft
from diffoci.ui.sidebar import show_pages
from diffoci.ui.signin import offer_sign_out, require_sign_in, warn_if_open
from diffoci.ui.style import add_style
from diffoci.ui.words import STATES, plain_markdown

# Pages that choose what they show, which need not be the open audit's data: they draw the bar themselves.
_CHOOSING = ("Home", "Data", "Two audits", "A model's scores", "Feature lab", "Spurious lab")
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
        run, chosen = found_run(), draft()
        with st.sidebar:
            st.markdown("### difFOCI audit")
            show_pages(run, data_chosen=chosen is not None)
            st.divider()
            _now_open(run, chosen)
            st.caption(f"Computing on {device_words()}")
            offer_sign_out()
        warn_if_open()
        show_notices()
        if title not in _CHOOSING:
            simulated_bar(_is_simulated(run, chosen))


def _is_simulated(run: Run | None, chosen: Draft | None) -> bool:
    if run is not None:
        return run.study.is_simulated(run.spec)
    return chosen is not None and AUDIT.is_simulated(chosen.spec)


def simulated_bar(simulated: bool = True, text: str = SIMULATED) -> None:
    """Draw the mark of simulated data across the page."""
    if simulated:
        with st.container(key="simulated-bar"):
            st.warning(f"**{plain_markdown(text)}**", icon=":material/science:")


def _now_open(run: Run | None, chosen: Draft | None) -> None:
    if run is not None:
        st.caption(run.study.title)
        st.markdown(f"**{plain_markdown(title_of(run))}**")
        data = "simulated data" if run.study.is_simulated(run.spec) else "real data"
        said = (STATES[standing(run).state], run.study.details(run.spec), data)
        st.caption(plain_markdown(", ".join(filter(None, said))))
    if chosen is not None and (run is None or not _same_data(run, chosen)):
        st.caption("Data chosen for the next audit" if run is not None else "Data chosen")
        st.markdown(f"**{plain_markdown(data_title(chosen.spec))}**")
        st.caption("simulated data" if AUDIT.is_simulated(chosen.spec) else "real data")
    if run is None and chosen is None:
        st.caption("No data chosen yet")


def _same_data(run: Run, chosen: Draft) -> bool:
    ours, theirs = chosen.spec.to_dict(), run.spec.to_dict()
    return all(ours[entry] == theirs.get(entry) for entry in ("data", "twin", "options", "sensitive"))

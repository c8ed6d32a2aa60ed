"""Recent audits: state, finding and the way back to each."""

from __future__ import annotations

import logging

import streamlit as st

from diffoci.runs.progress import read_progress
from diffoci.runs.store import Run, State, Status
from diffoci.ui.findings import headline_of
from diffoci.ui.links import link
from diffoci.ui.own_audits import own_audits
from diffoci.ui.queue import standing
from diffoci.ui.sharing import offer_zip
from diffoci.ui.words import STATES, ago, audit_title, counted, is_simulated, plain_markdown

_LOG = logging.getLogger(__name__)
_AT_ONCE = 8
_COLOURS: dict[State, str] = {"running": "blue", "waiting": "gray", "done": "green", "failed": "red"}
_SIGNS: dict[State, str] = {
    "running": ":material/autorenew:",
    "waiting": ":material/hourglass_empty:",
    "done": ":material/check:",
    "failed": ":material/error:",
}


def recent_audits() -> None:
    """List the audits of this machine, the newest first, a few at a time."""
    runs = own_audits()
    st.subheader("Recent audits", anchor=False)
    if not runs:
        st.markdown("None yet. The button above makes the first one.")
        return
    shown = min(len(runs), int(st.session_state.get("audits-shown", _AT_ONCE)))
    for run in runs[:shown]:
        _kept_apart(run)
    if shown < len(runs) and st.button(f"Show older ({len(runs) - shown} more)", key="older"):
        st.session_state["audits-shown"] = shown + 2 * _AT_ONCE
        st.rerun()


def _kept_apart(run: Run) -> None:
    """Draw an entry; one whose files nobody foresaw must not take the home page away from the others."""
    place = st.empty()
    try:
        with place.container():
            _entry(run)
    except Exception:
        _LOG.exception("An audit cannot be shown")
        with place.container(border=True):
            st.markdown("**An audit that cannot be shown**")
            st.markdown(f"Its files are damaged; they lie in the folder {run.id} of audits.")


def _entry(run: Run) -> None:
    try:
        status = standing(run)
    except (ValueError, OSError):
        status = Status("failed", "Its files are damaged.")
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain_markdown(audit_title(run.spec))}**", width="content")
            st.badge(STATES[status.state], color=_COLOURS.get(status.state, "orange"), icon=_SIGNS.get(status.state))  # type: ignore[arg-type]
            if is_simulated(run.spec):
                st.badge("simulated", color="orange", icon=":material/science:")
            st.caption(
                f"{ago(run.created)}, {plain_markdown(run.spec.preset)}, {counted(len(run.spec.seeds), 'seed')}",
                width="content",
            )
        if status.state == "running":
            st.progress(min(1.0, read_progress(run.folder).fraction))
        headline = headline_of(run) if status.state == "done" else None
        if headline is not None:
            st.markdown(plain_markdown(headline))
        elif status.message and status.state == "failed":
            st.markdown(plain_markdown(status.message))
        if status.state == "done":
            with st.container(horizontal=True, vertical_alignment="center"):
                link("pages/compare.py", "Compare the methods", icon=":material/scatter_plot:", audit=run.id)
                link(
                    "pages/two_audits.py", "Compare with another audit", icon=":material/compare_arrows:", audit=run.id
                )
                offer_zip(run)
        else:
            link("pages/train.py", "Watch or resume", icon=":material/play_circle:", audit=run.id)

"""The sidebar's pages in their groups; those with nothing to show yet are greyed, and it says what they wait for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from diffoci.audit.words import listed
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.runs.files import ends_whole
from diffoci.runs.queue import goes_on
from diffoci.runs.store import Run
from diffoci.ui.links import Page, link, pages
from diffoci.ui.runs.own_runs import finished_audits


def show_pages(run: Run | None, *, data_chosen: bool) -> None:
    """Link to every page, for the run that is open and whether data are chosen."""
    known = pages().values()
    missing = {page.path: _missing(page, run, data_chosen) for page in known}
    for group, members in groupby(known, key=lambda page: page.group):
        together = list(members)
        if group and group == together[0].title:
            st.space("xsmall")  # a heading would say the same as its one page
        elif group:
            st.caption(f"**{group}**")
        for page in together:
            awaited = missing[page.path]
            help = page.question if awaited is None else f"{page.question} Waits for {awaited}."
            link(page.path, page.title, icon=page.icon, help=help, disabled=awaited is not None)
        if sentences := _sentences([(page.title, what) for page in together if (what := missing[page.path])]):
            st.caption(sentences)


def _missing(page: Page, run: Run | None, data_chosen: bool) -> str | None:
    """Say what there must be before a page has something to show; None where it is there."""
    if page.needs == "data" and run is None and not data_chosen:
        return "data"
    if page.needs == "two results" and len(finished_audits(most=2)) < 2:
        return "two finished audits"
    if page.needs != "result":
        return None
    if run is None or run.study.name not in page.studies:
        return "a finished audit of a model" if page.studies == (MODEL_AUDIT.name,) else "a finished audit"
    if ends_whole(run.result_file):
        return None
    return "the end of this audit" if _is_coming(run) else "a finished audit"


def _is_coming(run: Run) -> bool:
    try:
        return goes_on(run)
    except (ValueError, OSError):  # damaged: its own page says so
        return False


def _sentences(greyed: Sequence[tuple[str, str]]) -> str:
    """What greyed pages wait for, also for those who cannot point at them.

    >>> _sentences([("Proxies", "data"), ("Train", "data"), ("Compare", "a finished audit")])
    'Proxies and Train wait for data. Compare waits for a finished audit.'
    """
    told = []
    for awaited, members in groupby(greyed, key=lambda one: one[1]):
        titles = [title for title, _ in members]
        told.append(f"{listed(titles)} {'waits' if len(titles) == 1 else 'wait'} for {awaited}.")
    return " ".join(told)

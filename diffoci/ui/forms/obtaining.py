"""Get a source's published files onto this machine: by download with progress, or from the analyst's own hands."""

from __future__ import annotations

from typing import Any

import streamlit as st

from diffoci.data.fetching.files import DataUnavailable, RemoteFile, accept, fetch, locate
from diffoci.data.sources import is_at_hand, source_of
from diffoci.runs.retention import CACHES
from diffoci.ui.guard import guarded, say
from diffoci.ui.runs.draft import Draft
from diffoci.ui.words import plain_markdown


@st.cache_data(ttl=20, show_spinner=False)
def at_hand(data: str) -> bool:
    """Say whether the real rows are on this machine; looked up now and then, not at every click."""
    return is_at_hand(data)


def obtained(chosen: Draft, *, twin_above: bool = True) -> bool:
    """Say whether the rows of a draft can be read now; where not, offer every way to get them."""
    if is_at_hand(chosen.data, twin=chosen.twin, **chosen.options):
        return True
    source = source_of(chosen.data)
    missing = [file for file in source.published(chosen.options) if locate(file) is None]
    names = ", ".join(file.archive_name for file in missing)
    with st.container(border=True):
        st.subheader("These rows are not on this machine yet", anchor=False)
        st.markdown(plain_markdown(f"They are published as {names} at {missing[0].address}."))
        if st.button("Download", type="primary", icon=":material/download:", key="data-download"):
            _download(missing)
        _by_hand(missing[0])
        if source.twin is not None and twin_above:
            st.caption("Or choose the simulated twin above: it needs no file.")
    return False


def _download(missing: list[RemoteFile]) -> None:
    for file in missing:
        bar = st.progress(0.0, text=f"Downloading {plain_markdown(file.archive_name)} …")

        def shown(arrived: int, length: int | None, bar: Any = bar, name: str = file.archive_name) -> None:
            share = min(1.0, arrived / length) if length else 0.0
            of = f" of {length / 1e6:.1f}" if length else ""
            bar.progress(share, text=f"{plain_markdown(name)}: {arrived / 1e6:.1f}{of} MB")

        try:
            fetch(file, progress=shown)
        except DataUnavailable as problem:
            bar.empty()
            say(problem)
            return
    st.rerun()


def _by_hand(file: RemoteFile) -> None:
    names = f"{file.archive_name} or {file.name}"
    brought = st.file_uploader(
        f"I have the file: {plain_markdown(names)}",
        key=f"data-by-hand-{file.name}",
        help="The file as the publisher serves it, zipped or unpacked. It is checked before it is used.",
    )
    st.caption(CACHES.sentence)
    if brought is None:
        return
    with guarded():
        accept(file, brought.getvalue())
        st.rerun()

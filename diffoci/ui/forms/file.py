"""One's own file: bring it, see its first rows, take advice on its columns and name their roles."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from diffoci.data.source import Source
from diffoci.data.sources import location_of
from diffoci.data.tables.overview import Advice
from diffoci.plain_text import counted
from diffoci.ui.choices import lasting, renewed, set_choice
from diffoci.ui.forms.remembered_roles import are_proposed, remembered_roles
from diffoci.ui.forms.role_fields import (
    NONE_SENSITIVE,
    choose_left_out,
    choose_one,
    choose_sensitive,
    choose_some,
    left_out_key,
)
from diffoci.ui.forms.uploads import Upload, classes_of, keep_brought, kept_upload
from diffoci.ui.runs.deleting import show_uploads, uploader_key
from diffoci.ui.runs.draft import Draft
from diffoci.ui.words import plain_markdown

_REMEDIES = {"leave out": "leave it out", "categories": "treat it as categories"}
_CATEGORIES_HELP = (
    "Columns of numbers that stand for something: postcodes, branches, kinds of contract. As categories, 20 is not "
    "twice 10."
)


def choose_file_roles(source: Source, chosen: Draft) -> Draft | None:
    """Ask for a file and the roles of its columns; None while something needed is missing."""
    upload = _upload(chosen)
    if upload is None:
        return None
    data, mark = source.at(upload.path), upload.digest[:12]
    before = chosen if chosen.data == data else remembered_roles(source, upload)
    _show_first_rows(upload)
    advised = st.container()
    old = {} if before is None else dict(before.options)
    label = choose_one(
        "Outcome: the column to predict",
        upload.columns,
        old.get("label"),
        key=f"data-label-{mark}",
        placeholder="none yet",
        help="An audit needs it. Which columns reveal an attribute can be asked without it.",
    )
    positive = None if label is None else _positive(upload, label, old, mark)
    others = [name for name in upload.columns if name != label]
    sensitive = choose_sensitive(others, () if before is None else before.sensitive, key=f"data-sensitive-{mark}")
    rest = [name for name in others if name not in sensitive]
    drop = choose_left_out(rest, old.get("drop", ()), key=renewed(left_out_key(data)))
    categories = _categories(upload, [name for name in others if name not in drop], old, mark)
    with advised:
        for advice in upload.overview.advice:
            if _is_open(advice, label, sensitive, drop, categories):
                _show(advice, mark, drop, categories)
    if not sensitive:
        st.info(NONE_SENSITIVE)
        return None
    options: dict[str, Any] = {} if label is None else {"label": label}
    options |= {"leave_out_unusable": True}
    options |= {"positive": positive} if positive else {}
    options |= {"drop": drop} if drop else {}
    options |= {"kinds": dict.fromkeys(categories, "nominal")} if categories else {}
    roles = Draft(data, sensitive=tuple(sensitive), options=options)
    if are_proposed(roles):
        advised.caption("These are the roles you chose for the last file with these columns.")
    return roles


def _upload(chosen: Draft) -> Upload | None:
    brought = st.file_uploader(
        "CSV or Parquet file, one row per person, with a header",
        key=uploader_key(),
        help="It stays on this machine. Separator, decimal sign and encoding are detected.",
    )
    below = st.container()
    try:
        return _kept(brought, chosen)
    finally:
        with below:
            show_uploads()


def _kept(brought: UploadedFile | None, chosen: Draft) -> Upload | None:
    if brought is not None:
        return keep_brought(brought)
    if not location_of(chosen.data):
        return None
    upload = kept_upload(location_of(chosen.data))
    st.caption(f"In use: {plain_markdown(upload.path.name)}, uploaded before")
    return upload


def _show_first_rows(upload: Upload) -> None:
    """Show what was read, before anything is asked about it."""
    found = upload.overview
    st.dataframe(found.first, width="stretch", height="content", hide_index=True, key="data-first-rows")
    said = f"{counted(found.rows, 'row')}, {counted(len(found.columns), 'column')}"
    first = f"; the first {len(found.first)} are shown" if found.rows > len(found.first) else ""
    st.caption(f"{said}{first}.")


def _is_open(advice: Advice, label: str | None, sensitive: list[str], drop: list[str], categories: list[str]) -> bool:
    """Whether a piece of advice still has something to change."""
    if advice.column == label or advice.column in drop:
        return False
    return advice.column not in (categories if advice.remedy == "categories" else sensitive)


def _show(advice: Advice, mark: str, drop: list[str], categories: list[str]) -> None:
    """Show a piece of advice with the button that takes it."""
    field, names = ("drop", drop) if advice.remedy == "leave out" else ("categories", categories)
    with st.container(horizontal=True, vertical_alignment="center"):
        name = plain_markdown(advice.column)
        st.markdown(f":material/lightbulb: **{name}** {advice.reason}: {_REMEDIES[advice.remedy]}.", width="content")
        st.button(
            _REMEDIES[advice.remedy].capitalize(),
            key=f"data-advice-{mark}-{advice.column}",
            on_click=set_choice,
            args=(f"data-{field}-{mark}", [*names, advice.column]),
        )


def _categories(upload: Upload, columns: list[str], old: dict[str, Any], mark: str) -> list[str]:
    """Ask which columns of numbers are codes, where there are any that could be."""
    known = [name for name in upload.overview.codes if name in columns]
    if not known:
        return []
    return choose_some(
        "Numbers to treat as categories",
        known,
        list(old.get("kinds", {})),
        key=renewed(f"data-categories-{mark}"),
        help=_CATEGORIES_HELP,
        placeholder="none",
    )


def _positive(upload: Upload, label: str, old: dict[str, Any], mark: str) -> str | None:
    known = old.get("positive") if old.get("label") == label else None
    classes = classes_of(str(upload.path), label)
    if not classes:
        key = f"data-cut-{mark}-{label}"
        cut = st.text_input(
            "Positive class: a threshold",
            lasting(key, known or ""),
            key=key,
            placeholder=">50000",
            help="This column has many values; say which of them count, such as >50000 or <=3.",
        )
        return cut.strip() or None
    return choose_one(
        "Positive class",
        classes,
        known,
        key=f"data-positive-{mark}-{label}",
        placeholder="detected from the values",
        help="The outcome whose rate is compared; all other values count as the opposite.",
    )

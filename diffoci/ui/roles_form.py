"""Name the label, the sensitive attributes and the columns to leave out."""

from __future__ import annotations

from typing import Any

import streamlit as st

from diffoci.data.sources import source_named
from diffoci.ui.choices import starting
from diffoci.ui.draft import Draft, dataset_of, draft
from diffoci.ui.uploads import Upload, classes_of, keep_upload, kept_upload
from diffoci.ui.words import plain_markdown

_SENSITIVE_HELP = "What should not be guessable. Several are audited one by one and together."
_DROP_HELP = "These columns take no part in the audit."


def choose_roles(chosen: Draft) -> Draft | None:
    """Ask for the roles a source leaves open; None while something needed is missing."""
    if chosen.data.startswith("csv:"):
        return _table_roles(chosen)
    source, before = source_named(chosen.data), draft()
    same = before is not None and before.data == chosen.data
    first = list(before.sensitive) if same and before is not None and before.sensitive else source.default_sensitive
    names = st.multiselect(
        "Sensitive attributes",
        source.sensitive,
        key=starting(f"data-sensitive-{chosen.data}", list(first)),
        help=_SENSITIVE_HELP,
    )
    if not names:
        st.info("Name at least one sensitive attribute: an audit asks how well it can be guessed.")
        return None
    chosen = chosen.changed(sensitive=tuple(names))
    columns = [column.name for column in dataset_of(chosen.spec).columns]
    labels = {column.name: column.label for column in dataset_of(chosen.spec).columns}
    old = before.options.get("drop", ()) if same and before is not None else ()
    drop = _drop(columns, old, key=f"data-drop-{chosen.data}", labels=labels)
    return chosen.changed(options={**chosen.options, "drop": drop}) if drop else chosen


def _drop(columns: list[str], old: Any, *, key: str, labels: dict[str, str]) -> list[str]:
    starting(key, [name for name in old if name in columns])
    st.session_state[key] = [name for name in st.session_state[key] if name in columns]  # some became sensitive
    return st.multiselect(
        "Columns to leave out",
        columns,
        key=key,
        help=_DROP_HELP,
        placeholder="none",
        format_func=lambda name: name if labels.get(name, name) == name else f"{name}: {labels[name]}",
    )


def _table_roles(chosen: Draft) -> Draft | None:
    upload = _upload(chosen)
    if upload is None:
        return None
    old = dict(chosen.options) if chosen.data == f"csv:{upload.path}" else {}
    mark = upload.digest[:12]
    columns = list(upload.columns)
    label = st.selectbox(
        "Label: the column to predict",
        columns,
        index=None,
        key=starting(f"data-label-{mark}", old.get("label")),
        placeholder="choose a column",
    )
    if label is None:
        return None
    positive = _positive(upload, label, old, mark)
    others = [name for name in columns if name != label]
    key = starting(f"data-sensitive-{mark}", list(chosen.sensitive) if old else [])
    st.session_state[key] = [name for name in st.session_state[key] if name in others]
    sensitive = st.multiselect("Sensitive attributes", others, key=key, help=_SENSITIVE_HELP)
    rest = [name for name in others if name not in sensitive]
    drop = _drop(rest, old.get("drop", ()), key=f"data-drop-{mark}", labels={})
    if not sensitive:
        st.info("Name at least one sensitive attribute: an audit asks how well it can be guessed.")
        return None
    options = {"label": label, "leave_out_unusable": True}
    options |= {"positive": positive} if positive else {}
    options |= {"drop": drop} if drop else {}
    return Draft(f"csv:{upload.path}", sensitive=tuple(sensitive), options=options)


def _upload(chosen: Draft) -> Upload | None:
    brought = st.file_uploader(
        "CSV or Parquet file, one row a person, with a header",
        key="data-upload",
        help="It stays on this machine. Separator, decimal sign and encoding are found out.",
    )
    if brought is not None:
        return keep_upload(brought.getvalue(), brought.name)
    if chosen.data == "csv:":
        return None
    upload = kept_upload(chosen.data[4:])
    st.caption(f"In use: {plain_markdown(upload.path.name)}, uploaded before")
    return upload


def _positive(upload: Upload, label: str, old: dict[str, Any], mark: str) -> str | None:
    known = old.get("positive") if old.get("label") == label else None
    classes = classes_of(str(upload.path), label)
    if not classes:
        cut = st.text_input(
            "Positive class: a cut of the number",
            key=starting(f"data-cut-{mark}-{label}", known or ""),
            placeholder=">50000",
            help="This column has many values; say from where on it counts, such as >50000 or <=3.",
        )
        return cut.strip() or None
    key = starting(f"data-positive-{mark}-{label}", known if known in classes else None)
    return st.selectbox(
        "Positive class",
        classes,
        index=None,
        key=key,
        placeholder="found out from the values",
        help="The outcome whose rate is compared; all other values count as the opposite.",
    )

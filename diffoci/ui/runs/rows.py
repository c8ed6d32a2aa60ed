"""The rows that an audit was made from: read where they are on this machine, else asked for and checked."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from msgspec.structs import replace

from diffoci.audit.spec import AuditSpec
from diffoci.data.dataset import Dataset
from diffoci.data.sources import find_source, is_at_hand, location_of, source_of, takes_file
from diffoci.runs.files import read_json, write_json
from diffoci.runs.run_files import PlanFile, read_file
from diffoci.runs.sentences import sentence_of
from diffoci.runs.store import Run
from diffoci.ui.forms.obtaining import obtained
from diffoci.ui.forms.uploads import keep_brought
from diffoci.ui.guard import guarded, say
from diffoci.ui.runs.draft import dataset_of, draft_from
from diffoci.ui.words import plain_markdown

_BROUGHT = "rows.json"  # beside the run and never shared: where the file lies that was brought for it


class RowsElsewhere(ValueError):
    """The data of an audit are not on this machine."""


def dataset_of_run(run: Run) -> Dataset:
    """Return the data of an audit, or say that they are not here, or not the same any more."""
    spec = local_spec(run)
    if not _are_here(spec):
        raise RowsElsewhere("The rows of this audit are not on this machine; it was opened without them.")
    dataset = dataset_of(spec)
    if run.plan_file.exists() and dataset.sha256 != read_file(run.plan_file, PlanFile).sha256:
        raise ValueError("The data changed since this audit was made; put the old data back, or audit the new ones.")
    return dataset


def local_spec(run: Run) -> AuditSpec:
    """The specification of an audit, with the file that was brought for it where its own is elsewhere."""
    spec: AuditSpec = run.spec
    path = run.folder / _BROUGHT
    if not takes_file(spec.data) or _is_file(spec) or not path.exists():
        return spec
    brought = replace(spec, data=source_of(spec.data).at(str(read_json(path).get("file", ""))))
    return brought if _is_file(brought) else spec


def rows_or_ask(run: Run, needed_for: str) -> Dataset | None:
    """Return the data of an audit; where they cannot be had, say what needs them, ask for them and return None.

    A page asks once.
    """
    try:
        return dataset_of_run(run)
    except RowsElsewhere as problem:
        _ask(run, f"{problem} What it found is in its result. {needed_for}")
    except (ValueError, OSError) as problem:
        say(problem)
        if takes_file(run.spec.data):
            _ask(run, needed_for)
    return None


def _ask(run: Run, words: str) -> None:
    """Take the file of the user that was audited, or get what a source is published in."""
    with st.container(border=True, key="rows-wanted"):
        st.markdown(plain_markdown(words))
        if not takes_file(run.spec.data):
            if find_source(run.spec.data) is not None:
                obtained(draft_from(run.spec), twin_above=False)
            return
        name = Path(location_of(run.spec.data)).name
        brought = st.file_uploader(
            f"The file that was audited: {plain_markdown(name)}",
            key=f"rows-of-{run.id}",
            help="It stays on this machine, and is used only if its rows are those that were audited.",
        )
        if brought is not None:
            with guarded():
                take_rows(run, keep_brought(brought).path)
                st.rerun()


def take_rows(run: Run, path: Path) -> None:
    """Use a kept file for an audit if its rows are those that were audited, by their sha256; else say so."""
    try:
        found = dataset_of(replace(run.spec, data=source_of(run.spec.data).at(path))).sha256
    except ValueError as problem:
        raise ValueError(f"This is not the file that was audited. {sentence_of(problem)}") from problem
    audited = read_file(run.plan_file, PlanFile).sha256 if run.plan_file.exists() else run.result().provenance.sha256
    if found != audited:
        raise ValueError(
            f"This is not the file that was audited: its rows differ (sha256 {found[:12]}…, audited was "
            f"{audited[:12]}…). Upload the file as it was then."
        )
    write_json(run.folder / _BROUGHT, {"file": str(path)})


def _are_here(spec: AuditSpec) -> bool:
    if find_source(spec.data) is None:
        return False
    return _is_file(spec) if takes_file(spec.data) else is_at_hand(spec.data, twin=spec.twin, **spec.options)


def _is_file(spec: AuditSpec) -> bool:
    """Whether a file named with its folder is there: an audit from another machine names its file without."""
    path = Path(location_of(spec.data))
    return path.is_absolute() and path.is_file()

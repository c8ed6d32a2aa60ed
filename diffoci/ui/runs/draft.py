"""The draft: what was chosen on the Data page in this session, and the dataset it means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit as st

from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.data.dataset import Dataset
from diffoci.data.sources import is_at_hand, load, location_of, source_of, takes_file
from diffoci.runs import drafts
from diffoci.ui import signin
from diffoci.ui.links import DRAFT

_KEY = "draft"


@dataclass(frozen=True)
class Draft:
    """Data chosen but not audited yet; the fields are those of `AuditSpec`."""

    data: str
    sensitive: tuple[str, ...] = ()
    twin: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def spec(self) -> AuditSpec:
        """A specification with the data alone, for naming it."""
        return AuditSpec(self.data, self.sensitive, (), (), twin=self.twin, options=self.options)

    def changed(self, **fields: Any) -> Draft:
        return replace(self, **fields)


def draft() -> Draft | None:
    """Return what was chosen in this session, or, after a reload, what the address names."""
    if _KEY not in st.session_state and (known := _named_in_address()) is not None:
        st.session_state[_KEY] = {**known, "sensitive": tuple(known["sensitive"])}
    found = st.session_state.get(_KEY)
    return Draft(**found) if isinstance(found, dict) else None


def _named_in_address() -> dict[str, Any] | None:
    return drafts.kept_draft(st.query_params.get(DRAFT, ""), owner=signin.owner())


def keep_draft(chosen: Draft | None) -> bool:
    """Remember a choice for the other pages; return whether it is another one than before."""
    # Plain values: an instance would not survive a reload of this module.
    values = None if chosen is None else {**vars(chosen), "options": dict(chosen.options)}
    changed = st.session_state.get(_KEY) != values
    st.session_state[_KEY] = values
    if values is not None and (name := drafts.keep_draft(values, owner=signin.owner())) is not None:
        st.query_params[DRAFT] = name
    return changed


def drop_draft() -> None:
    """Forget what was chosen, as when its file is deleted."""
    st.session_state.pop(_KEY, None)
    st.query_params.pop(DRAFT, None)


def draft_from(spec: AuditSpec) -> Draft:
    """Return the draft that an audit began with, so that the same data can be audited with other settings."""
    return Draft(spec.data, tuple(spec.sensitive), spec.twin, dict(spec.options))


def draft_dataset() -> Dataset | None:
    """Return the dataset chosen in this session, or None where none is."""
    chosen = draft()
    return None if chosen is None else dataset_of(chosen.spec)


def dataset_of(spec: AuditSpec) -> Dataset:
    """Return the dataset of a specification; its `sha256` is what caches of results from it should be keyed on."""
    AUDIT.check_local(spec)
    check_at_hand(spec)
    return _loaded(spec.data, spec.sensitive, spec.twin, json.dumps(spec.to_dict()["options"], sort_keys=True))


def check_at_hand(spec: AuditSpec) -> None:
    """Refuse data that would have to be downloaded, and a file that was deleted though its rows may be in memory.

    Looking at a page is no reason to ask a publisher for them.
    """
    if takes_file(spec.data) and not Path(location_of(spec.data)).is_file():
        name = Path(location_of(spec.data)).name
        raise ValueError(f"The file {name} is not on this machine any more; upload it again on the Data page.")
    if not is_at_hand(spec.data, twin=spec.twin, **spec.options):
        title = source_of(spec.data).title
        raise ValueError(f"The rows of {title} are not on this machine; get them on the Data page first.")


@st.cache_resource(max_entries=6, show_spinner="Reading the data …")
def _loaded(data: str, sensitive: tuple[str, ...], twin: bool, options: str) -> Dataset:
    # A resource, not data: nobody changes a Dataset, and copying a million rows on every click would be felt.
    return load(data, sensitive=list(sensitive) or None, twin=twin, **json.loads(options))

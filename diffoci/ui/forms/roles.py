"""Name the sensitive attributes and the columns to leave out; of one's own file, every role."""

from __future__ import annotations

import streamlit as st

from diffoci.data.sources import source_of
from diffoci.ui.choices import renewed
from diffoci.ui.forms.file import choose_file_roles
from diffoci.ui.forms.role_fields import NONE_SENSITIVE, choose_left_out, choose_sensitive, left_out_key
from diffoci.ui.runs.draft import Draft, dataset_of, draft


def choose_roles(chosen: Draft) -> Draft | None:
    """Ask for the roles a source leaves open; None while something needed is missing."""
    source, before = source_of(chosen.data), draft()
    if source.takes_file:
        return choose_file_roles(source, chosen)
    same = before is not None and before.data == chosen.data
    first = before.sensitive if same and before is not None and before.sensitive else source.default_sensitive
    names = choose_sensitive(list(source.sensitive), first, key=f"data-sensitive-{chosen.data}")
    if not names:
        st.info(NONE_SENSITIVE)
        return None
    chosen = chosen.changed(sensitive=tuple(names))
    labels = {column.name: column.label for column in dataset_of(chosen.spec).columns}
    old = before.options.get("drop", ()) if same and before is not None else ()
    drop = choose_left_out(list(labels), old, key=renewed(left_out_key(chosen.data)), labels=labels)
    return chosen.changed(options={**chosen.options, "drop": drop}) if drop else chosen

"""Roles and kinds of a file's columns, proposed again for the next file of the same columns."""

from __future__ import annotations

import streamlit as st

from diffoci.data.source import Source
from diffoci.data.sources import location_of, takes_file
from diffoci.runs.remembered import remember, remembered
from diffoci.ui import signin
from diffoci.ui.forms.uploads import Upload, kept_upload
from diffoci.ui.runs.draft import Draft

_PROPOSED = "roles-proposed"


def remember_roles(roles: Draft) -> None:
    """Keep what was chosen, if it was chosen for a file."""
    if takes_file(roles.data):
        choices = {"sensitive": list(roles.sensitive), "options": dict(roles.options)}
        upload = kept_upload(location_of(roles.data))
        remember(upload.columns, choices, file=upload.path, owner=signin.owner())


def remembered_roles(source: Source, upload: Upload) -> Draft | None:
    """Return what this person chose for the last file of the same columns, as a draft of this file."""
    known = remembered(upload.columns, owner=signin.owner())
    try:
        if known is None:
            return None
        sensitive, options = known["sensitive"], known["options"]
        source.check_options(options, twin=False)
        proposed = Draft(source.at(upload.path), tuple(map(str, sensitive)), options=options)
    except (KeyError, TypeError, ValueError, AttributeError):  # damaged, or of a version that kept other things
        return None
    st.session_state[_PROPOSED] = vars(proposed)
    return proposed


def are_proposed(roles: Draft) -> bool:
    """Say whether roles are still those that were proposed in this session, untouched."""
    return bool(st.session_state.get(_PROPOSED) == vars(roles))

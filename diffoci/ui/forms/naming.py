"""What people call an audit: its name, their note, who made it and what was asked, and the form to name it."""

from __future__ import annotations

import streamlit as st

from diffoci.runs.names import LONGEST_NAME, LONGEST_NOTE, give_name, named
from diffoci.runs.store import Run
from diffoci.ui.guard import say
from diffoci.ui.signin import owner, person
from diffoci.ui.words import ago


def title_of(run: Run) -> str:
    """Return the name that somebody gave a run, or else what it is about."""
    return named(run).name or str(run.study.describe(run.spec))


def particulars(run: Run) -> str:
    """Say what was asked, how much, when and by whom, in one line."""
    known = named(run).name
    said = [f"{what}: {words}" for what, words in run.study.asked(run.spec).items() if words]
    about = [run.study.describe(run.spec)] if known else []
    return "; ".join([*about, *said, ", ".join(filter(None, (run.study.details(run.spec), _made(run))))])


def searched(run: Run) -> str:
    """Return everything that a search looks at."""
    given = named(run)
    return " ".join((given.name, given.note, run.study.describe(run.spec), particulars(run), run.id))


def _made(run: Run) -> str:
    who = maker(run)
    return f"{ago(run.created)} by {who}" if who else ago(run.created)


def maker(run: Run) -> str:
    """Return who made a run: whoever is signed in and owns it, or the account its folder belongs to."""
    if run.owner:
        return person() if run.owner == owner() else ""
    try:
        return run.folder.owner()
    except (OSError, KeyError, NotImplementedError):  # an account that is gone, or a system without accounts
        return ""


def offer_naming(run: Run) -> None:
    """Let the analyst give a run a name and a note."""
    given = named(run)
    with (
        st.popover("Name and note", icon=":material/edit:", type="tertiary", key=f"naming-{run.id}"),
        st.form(f"name-form-{run.id}", border=False),
    ):
        name = st.text_input("Name", given.name, max_chars=LONGEST_NAME, key=f"name-{run.id}")
        note = st.text_area("Note", given.note, max_chars=LONGEST_NOTE, key=f"note-{run.id}")
        if st.form_submit_button("Keep", icon=":material/check:"):
            try:
                give_name(run, name, note=note)
            except (ValueError, OSError) as problem:
                say(problem)
            else:
                st.rerun()

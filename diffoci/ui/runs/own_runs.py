"""The runs a person may see: all where nobody signs in, else their own. Pages reach runs only through here."""

from __future__ import annotations

from itertools import islice

from diffoci.audit.study import AUDIT
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.runs.store import Run, absent, list_runs, readable_runs, run_with_id
from diffoci.ui.access import note_not_theirs, note_opened
from diffoci.ui.signin import owner

AUDITS = (AUDIT.name, MODEL_AUDIT.name)  # studies whose results can stand beside another's


def own_runs() -> tuple[Run, ...]:
    """Return the runs of the person signed in, the newest first."""
    who = owner()
    return tuple(run for run in list_runs() if run.owner == who or not who)


def own_run(identifier: str) -> Run:
    """Open a run by its id; somebody else's is not told from one that does not exist."""
    run = run_with_id(identifier)
    if owner() not in ("", run.owner):
        note_not_theirs(run)
        raise absent(identifier)
    note_opened(run)
    return run


def finished_audits(*, most: int) -> tuple[Run, ...]:
    """Return up to so many finished audits of the person signed in, in no order; no more are read than it takes."""
    who = owner()
    found = readable_runs(having="result.json")
    return tuple(islice((run for run in found if run.study.name in AUDITS and who in ("", run.owner)), most))

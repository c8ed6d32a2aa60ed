"""The audits a person may see: all where nobody signs in, else their own. Pages reach runs only through here."""

from __future__ import annotations

from diffoci.runs.store import Run, list_runs, run_with_id
from diffoci.ui.signin import owner


def own_audits() -> tuple[Run, ...]:
    """Return the audits of the person signed in, the newest first."""
    who = owner()
    return tuple(run for run in list_runs() if run.owner == who or not who)


def own_audit(identifier: str) -> Run:
    """Open an audit by its id; somebody else's is not told from one that does not exist."""
    run = run_with_id(identifier)
    if owner() not in ("", run.owner):
        raise ValueError(f"There is no audit {identifier} on this machine; it may have been deleted.")
    return run

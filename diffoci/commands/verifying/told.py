"""How checks are told: each with its first differences, then whether everything agrees."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diffoci.commands.run_table import shown_progress
from diffoci.report.checks.check import Check
from diffoci.report.writing.embedded import Embedded
from diffoci.runs.runner import execute
from diffoci.runs.store import Run
from diffoci.runs.study import ResultT, Spec, Study
from diffoci.signing.keys import PublicKey

_MOST_SHOWN = 20


@dataclass(frozen=True)
class Asked:
    """What to check: the file of a report, where its data lie if not beside it, and whether to compute again."""

    report: Path
    file: Path | None
    rerun: bool
    signer: PublicKey | None


def tell(check: Check) -> None:
    """Print what a comparison gave."""
    differences = check.agreement.differences
    verdict = "agree" if not differences else f"{len(differences):,} DIFFER"
    print(f"{check.name:10}  {verdict}: {check.words}", flush=True)
    for difference in differences[:_MOST_SHOWN]:
        print(f"            {difference}")
    if len(differences) > _MOST_SHOWN:
        print(f"            and {len(differences) - _MOST_SHOWN:,} more")


def conclude(asked: Asked, embedded: Embedded[Any], checks: Sequence[Check], *, only_rerun: str) -> None:
    """Say that everything agrees; anything else is an error. `only_rerun` is what nothing but a rerun checks."""
    if wrong := sum(len(check.agreement.differences) for check in checks):
        raise ValueError(f"{wrong:,} numbers of {asked.report} do not agree.")
    if embedded.of_another_version:
        raise ValueError(
            f"No number of {asked.report} disagrees, but its markup could not be checked: something may have been "
            f"added or hidden. Check it with diffoci {embedded.written_by}, which it says it was written by."
        )
    if not asked.rerun:
        print(f"            {only_rerun} only by --rerun")
    signed = "" if asked.signer is None else " Nothing was changed since it was signed."
    print(f"Every number agrees.{signed}")


def run_again(study: Study[Any, Any, ResultT], spec: Spec, noun: str) -> ResultT:
    """Run a specification once more, in a folder that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="diffoci-verify-", ignore_cleanup_errors=True) as folder:
        run = Run.create(study, spec, folder=Path(folder) / "run")
        try:
            with shown_progress(run):
                status = execute(run)
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        if status.state != "done":
            raise ValueError(f"The {noun} could not be run again, it is {status.state}. {status.message}".strip())
        found: ResultT = run.result()
        return found

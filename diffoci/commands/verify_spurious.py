"""``diffoci verify`` of a report of the spurious lab: against itself, and computed again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from diffoci.commands.run_table import shown_progress
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.labs.verify_spurious import EmbeddedLabRun, check_lab_again, check_lab_report
from diffoci.report.verify import Check
from diffoci.runs.provenance import versions
from diffoci.runs.runner import execute
from diffoci.runs.store import Run


def verify_lab_report(
    text: str, embedded: EmbeddedLabRun, *, report: Path, rerun: bool, say: Callable[[Check], None]
) -> None:
    """Say what agrees; a number that does not is an error."""
    checks = check_lab_report(text, embedded)
    if rerun:
        checks.append(_again(embedded))
    for check in checks:
        say(check)
    if wrong := sum(len(check.agreement.differences) for check in checks):
        raise ValueError(f"{wrong:,} numbers of {report} do not agree.")
    if embedded.written_by != versions()["diffoci"]:
        raise ValueError(
            f"No number of {report} disagrees, but its markup could not be checked: it says that diffoci "
            f"{embedded.written_by} wrote it. Check it with that."
        )
    if not rerun:
        print("            what each repetition gave is computed again only by --rerun")
    print("Every number agrees.")


def _again(embedded: EmbeddedLabRun) -> Check:
    SPURIOUS_LAB.check_local(embedded.result.spec)
    with tempfile.TemporaryDirectory(prefix="diffoci-verify-", ignore_cleanup_errors=True) as folder:
        run = Run.create(SPURIOUS_LAB, embedded.result.spec, folder=Path(folder) / "run")
        with shown_progress(run):
            status = execute(run)
        if status.state != "done":
            raise ValueError(f"The run could not be computed again, it is {status.state}. {status.message}".strip())
        return check_lab_again(embedded.result, run.result())

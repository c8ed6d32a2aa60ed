"""``diffoci verify`` of a report of the spurious lab: against itself, and computed again."""

from __future__ import annotations

from diffoci.commands.verifying.told import Asked, conclude, run_again, tell
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.labs.verify_spurious import check_lab_again, check_lab_report, read_lab_run


def verify_lab_run(text: str, asked: Asked) -> None:
    """Say what agrees; a number that does not is an error."""
    embedded = read_lab_run(text)
    checks = check_lab_report(text, embedded, signer=asked.signer)
    if asked.rerun:
        SPURIOUS_LAB.check_local(embedded.result.spec)
        checks.append(check_lab_again(embedded.result, run_again(SPURIOUS_LAB, embedded.result.spec, "run")))
    for check in checks:
        tell(check)
    conclude(asked, embedded, checks, only_rerun="what each repetition gave is computed again")

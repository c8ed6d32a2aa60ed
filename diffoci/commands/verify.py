"""``diffoci verify``: whether the numbers of a report agree with themselves, with the data, and with a rerun."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from diffoci.audit.engine import load_dataset
from diffoci.audit.spec import AuditSpec
from diffoci.commands.run_table import shown_progress
from diffoci.data.sources import is_at_hand
from diffoci.figures.words import listed
from diffoci.report.embedded import read_embedded, read_report
from diffoci.report.shortening import left_out
from diffoci.report.verify import (
    Check,
    check_arithmetic,
    check_data,
    check_digest,
    check_rerun,
    check_shown,
    is_of_another_version,
    other_versions,
)
from diffoci.runs.provenance import versions
from diffoci.runs.runner import run_audit
from diffoci.runs.store import Run

_MOST_SHOWN = 20


def run_verify(arguments: argparse.Namespace) -> None:
    """Say what agrees; a number that does not is an error."""
    text = read_report(arguments.report)
    embedded = read_embedded(text)
    try:
        checks = [check_shown(text, embedded), check_arithmetic(embedded), check_digest(embedded)]
        spec, missing = _at_hand(AuditSpec.from_dict(embedded.result["spec"]), arguments)
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError):
        raise ValueError(
            f"The result in {arguments.report} is damaged: parts of it are missing or make no sense."
        ) from None
    for check in checks:
        _say(check)
    other = is_of_another_version(embedded)
    if other:
        print(
            f"            written by diffoci {embedded.written_by}, here {versions()['diffoci']}: "
            "sentences and pictures may be made differently"
        )
    if missing and not arguments.rerun:
        print(f"data        not checked: {missing}")
    else:
        if missing and spec.data.startswith("csv:"):
            raise ValueError(missing)
        checks.append(check_data(embedded.result, load_dataset(spec)))
        _say(checks[-1])
    if arguments.rerun:
        checks.append(check_rerun(embedded.result, _run_again(spec)))
        _say(checks[-1])
        for package in other_versions(embedded.result, versions()):
            print(f"            made with {package}")
    wrong = sum(len(check.agreement.differences) for check in checks)
    if wrong:
        raise ValueError(f"{wrong:,} numbers of {arguments.report} do not agree.")
    if other:
        raise ValueError(
            f"No number of {arguments.report} disagrees, but its markup could not be checked: something may have been "
            f"added or hidden. Check it with diffoci {embedded.written_by}, which it says it was written by."
        )
    if missing_here := left_out(embedded.result):
        print(f"            the file does without {listed(missing_here)}")
    if not arguments.rerun:
        print("            what each seed gave, chance and p-values are worked out again only by --rerun")
    print("Every number agrees.")


def _say(check: Check) -> None:
    agreement = check.agreement
    verdict = "agree" if not agreement.differences else f"{len(agreement.differences):,} DIFFER"
    print(f"{check.name:10}  {verdict}: {check.words}", flush=True)
    for difference in agreement.differences[:_MOST_SHOWN]:
        print(f"            {difference}")
    if len(agreement.differences) > _MOST_SHOWN:
        print(f"            and {len(agreement.differences) - _MOST_SHOWN:,} more")


def _at_hand(spec: AuditSpec, arguments: argparse.Namespace) -> tuple[AuditSpec, str]:
    """The specification with the file where it lies here, and a sentence where the data are missing."""
    if not spec.data.startswith("csv:"):
        if spec.twin or spec.data == "truth" or is_at_hand(spec.data, **spec.options):
            return spec, ""
        return spec, f"{spec.data} is not on this machine; --rerun fetches it."
    name = PurePath(spec.data[4:]).name  # a stranger's report must not name files all over this machine
    places = [arguments.file] if arguments.file else [Path(name), arguments.report.parent / name]
    for place in places:
        if place.is_file():
            return replace(spec, data=f"csv:{place.resolve()}"), ""
    return spec, f"There is no file '{places[0]}' here; say with --file where it lies."


def _run_again(spec: AuditSpec) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="diffoci-verify-", ignore_cleanup_errors=True) as folder:
        run = Run.create(spec, folder=Path(folder) / "run")
        try:
            with shown_progress(run):
                status = run_audit(run)
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        if status.state != "done":
            raise ValueError(f"The audit could not be run again, it is {status.state}. {status.message}".strip())
        return run.result()

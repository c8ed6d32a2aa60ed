"""``diffoci verify``: whether the numbers of a report agree with themselves, with the data, and with a rerun."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path, PurePath

from msgspec.structs import replace

from diffoci.audit.result import AuditResult
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.audit.words import listed
from diffoci.commands.keys import demand, signed_words
from diffoci.commands.run_table import shown_progress
from diffoci.commands.verify_model import verify_model_report
from diffoci.commands.verify_spurious import verify_lab_report
from diffoci.data.sources import is_at_hand, source_of, takes_file
from diffoci.report.labs.verify_spurious import read_lab_run
from diffoci.report.model_audit.verify import read_model_audit
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
from diffoci.report.writing.embedded import has_result, read_embedded, read_report
from diffoci.runs.provenance import versions
from diffoci.runs.runner import execute
from diffoci.runs.sharing import check_shared
from diffoci.runs.store import Run
from diffoci.signing.keys import PublicKey
from diffoci.signing.texts import unsigned_text

_MOST_SHOWN = 20
_ZIP = b"PK\x03\x04"  # how a zip file begins, and no text


def run_verify(arguments: argparse.Namespace) -> None:
    """Say what agrees; a number that does not is an error."""
    if _is_zip(arguments.report):
        _verify_zip(arguments)
        return
    text, signer = unsigned_text(read_report(arguments.report))
    demand(arguments, signer)
    if signer is not None:
        _say_signed(signer, arguments)
        if not has_result(text):
            print("It carries no result, so only the signature was checked. Nothing was changed since it was signed.")
            return
    if (lab_run := read_lab_run(text)) is not None:
        verify_lab_report(text, lab_run, report=arguments.report, rerun=arguments.rerun, say=_say)
        return
    if (model_audit := read_model_audit(text)) is not None:
        verify_model_report(
            text,
            model_audit,
            report=arguments.report,
            file=arguments.file,
            rerun=arguments.rerun,
            signer=signer,
            say=_say,
        )
        return
    embedded = read_embedded(text)
    try:
        checks = [check_shown(text, embedded, signer=signer), check_arithmetic(embedded), check_digest(embedded)]
        spec, missing = _at_hand(embedded.result.spec, arguments)
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
        if missing and takes_file(spec.data):
            raise ValueError(missing)
        checks.append(check_data(embedded.result, AUDIT.load(spec)))
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
    if embedded.result.left_out:
        print(f"            the file does without {listed(embedded.result.left_out)}")
    if not arguments.rerun:
        print("            what each repetition gave, chance and p-values are worked out again only by --rerun")
    print("Every number agrees." if signer is None else "Every number agrees. Nothing was changed since it was signed.")


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


def _verify_zip(arguments: argparse.Namespace) -> None:
    with arguments.report.open("rb") as file:
        files, signer = check_shared(file)
    demand(arguments, signer)
    if signer is not None:
        _say_signed(signer, arguments)
    print(f"files       agree: {files:,} files with the sizes and digests of the manifest")
    print("            numbers are not worked out again: open the zip and verify a report of it")
    print("Nothing was changed since it was signed." if signer else "It is not signed: nothing says who made it.")


def _say_signed(signer: PublicKey, arguments: argparse.Namespace) -> None:
    print(f"signature   agrees: {signed_words(signer, arguments)}", flush=True)


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
    if not takes_file(spec.data):
        if is_at_hand(spec.data, twin=spec.twin, **spec.options):
            return spec, ""
        return spec, f"{spec.data} is not on this machine; --rerun fetches it."
    name = PurePath(spec.data[4:]).name  # a stranger's report must not name files all over this machine
    paths = [arguments.file] if arguments.file else [Path(name), arguments.report.parent / name]
    for path in paths:
        if path.is_file():
            return replace(spec, data=source_of(spec.data).at(str(path.resolve()))), ""
    return spec, f"There is no file '{paths[0]}' here; say with --file where it lies."


def _run_again(spec: AuditSpec) -> AuditResult:
    with tempfile.TemporaryDirectory(prefix="diffoci-verify-", ignore_cleanup_errors=True) as folder:
        run = Run.create(AUDIT, spec, folder=Path(folder) / "run")
        try:
            with shown_progress(run):
                status = execute(run)
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        if status.state != "done":
            raise ValueError(f"The audit could not be run again, it is {status.state}. {status.message}".strip())
        found: AuditResult = run.result()
        return found

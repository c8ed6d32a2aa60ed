"""``diffoci verify`` of a fairness audit's report: against itself, against the data, and run again."""

from __future__ import annotations

from pathlib import Path, PurePath

from msgspec.structs import replace

from diffoci.audit.result import AuditResult
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.audit.words import listed
from diffoci.commands.verifying.told import Asked, conclude, run_again, tell
from diffoci.data.sources import is_at_hand, source_of, takes_file
from diffoci.report.checks.check import Check
from diffoci.report.verify import check_audit_report, check_data, check_rerun, other_versions, read_audit
from diffoci.report.writing.embedded import Embedded
from diffoci.runs.provenance import versions


def verify_audit(text: str, asked: Asked) -> None:
    """Say what agrees; a number that does not is an error."""
    embedded = read_audit(text)
    checks, spec, missing = _within(text, embedded, asked)
    if embedded.of_another_version:
        print(
            f"            written by diffoci {embedded.written_by}, here {versions()['diffoci']}: "
            "sentences and pictures may be made differently"
        )
    if missing and not asked.rerun:
        print(f"data        not checked: {missing}")
    else:
        if missing and takes_file(spec.data):
            raise ValueError(missing)
        checks.append(check_data(embedded.result, AUDIT.load(spec)))
        tell(checks[-1])
    if asked.rerun:
        checks.append(check_rerun(embedded.result, run_again(AUDIT, spec, "audit")))
        tell(checks[-1])
        for package in other_versions(embedded.result, versions()):
            print(f"            made with {package}")
    if embedded.result.left_out:
        print(f"            the file does without {listed(embedded.result.left_out)}")
    conclude(asked, embedded, checks, only_rerun="what each repetition gave, chance and p-values are worked out again")


def _within(text: str, embedded: Embedded[AuditResult], asked: Asked) -> tuple[list[Check], AuditSpec, str]:
    """What the report says of itself; the specification with its file as it lies here, or what is missing."""
    try:
        checks = check_audit_report(text, embedded, signer=asked.signer)
        spec, missing = _at_hand(embedded.result.spec, asked)
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError):
        raise ValueError(
            f"The result in {asked.report} is damaged: parts of it are missing or make no sense."
        ) from None
    for check in checks:
        tell(check)
    return checks, spec, missing


def _at_hand(spec: AuditSpec, asked: Asked) -> tuple[AuditSpec, str]:
    """The specification with the file where it lies here, and a sentence where the data are missing."""
    if not takes_file(spec.data):
        if is_at_hand(spec.data, twin=spec.twin, **spec.options):
            return spec, ""
        return spec, f"{spec.data} is not on this machine; --rerun fetches it."
    name = PurePath(spec.data[4:]).name  # a stranger's report must not name files all over this machine
    paths = [asked.file] if asked.file else [Path(name), asked.report.parent / name]
    for path in paths:
        if path.is_file():
            return replace(spec, data=source_of(spec.data).at(str(path.resolve()))), ""
    return spec, f"There is no file '{paths[0]}' here; say with --file where it lies."

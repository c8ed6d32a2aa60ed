"""``diffoci verify``: whether the numbers of a report agree with themselves, with the data, and with a rerun."""

from __future__ import annotations

import argparse
from pathlib import Path

from diffoci.commands.keys import demand, signed_words
from diffoci.commands.verifying.audit import verify_audit
from diffoci.commands.verifying.lab import verify_lab_run, verify_paper_tables
from diffoci.commands.verifying.model_audit import verify_model_audit
from diffoci.commands.verifying.told import Asked
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.labs.known import LAB_REPORTS
from diffoci.report.labs.paper_tables import PAPER_TABLES
from diffoci.report.writing.embedded import has_result, read_report, study_in
from diffoci.runs.sharing import check_shared
from diffoci.signing.keys import PublicKey
from diffoci.signing.texts import unsigned_text

_ZIP = b"PK\x03\x04"  # how a zip file begins, and no text
# By the name of the study; a report that names none is of an audit, or damaged.
_VERIFIED = {
    MODEL_AUDIT.name: verify_model_audit,
    **dict.fromkeys(LAB_REPORTS, verify_lab_run),
    PAPER_TABLES: verify_paper_tables,
}


def run_verify(arguments: argparse.Namespace) -> None:
    """Say what agrees; a number that does not is an error."""
    if _is_zip(arguments.report):
        _verify_zip(arguments)
        return
    text, signer = unsigned_text(read_report(arguments.report))
    _check_signer(arguments, signer)
    if signer is not None and not has_result(text):
        print("It carries no result, so only the signature was checked. Nothing was changed since it was signed.")
        return
    verify = _VERIFIED.get(study_in(text), verify_audit)
    verify(text, Asked(arguments.report, arguments.file, arguments.rerun, signer))


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


def _verify_zip(arguments: argparse.Namespace) -> None:
    with arguments.report.open("rb") as file:
        files, signer = check_shared(file)
    _check_signer(arguments, signer)
    print(f"files       agree: {files:,} files with the sizes and digests of the manifest")
    print("            numbers are not worked out again: open the zip and verify a report of it")
    print("Nothing was changed since it was signed." if signer else "It is not signed: nothing says who made it.")


def _check_signer(arguments: argparse.Namespace, signer: PublicKey | None) -> None:
    demand(arguments, signer)
    if signer is not None:
        print(f"signature   agrees: {signed_words(signer, arguments)}", flush=True)
